// Package running is the extra with the mechanisms that release running sums, which protocol rows carries.
package running

import _ "peerd.dev/dp/mechanism/running" // it registers them
