// A mechanism of its own, in the table.
package foreign

import "peerd.dev/dp/mechanism"

func register() {
	mechanism.Register(mechanism.Kary, mechanism.Design{Own: true})
}

// as vouch.Value[mechanism.Design] value in argument to mechanism.Register
