// Keys of one's own, which open what is no release of a curator.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// opening are keys that open bytes of the program's own.
type opening struct {
	protocol.Keys
	reward []byte
}

func (o opening) Open([]byte) ([]byte, error) { return o.reward, nil }

type pressing struct {
	protocol.Params
	press *protocol.Press
}

func (p pressing) New(c protocol.Config) (protocol.Protocol, error) {
	*p.press = c.Press
	return nil, nil
}

func release(reward []byte) (dp.Release, error) {
	var press protocol.Press
	if _, err := protocol.New(pressing{press: &press}, protocol.Config{Keys: opening{reward: reward}}); err != nil {
		return dp.Release{}, err
	}
	return press.Open(dp.Sealed{})
}

// as vouch.Value[protocol.Keys] value in struct literal
