package network

import (
	"bytes"
	"encoding/json"
)

// leastObject is the mean length of an object in what a peer shows, in bytes, at least. The shortest one, a ballot, stands in
// a promise with a signature.
const leastObject = 24

// ParseState reads what another peer shows of its record. It refuses a text of more and shorter objects than a
// record has before it makes any of them, since {} is two bytes in a frame and hundreds in memory.
func ParseState(b []byte) (*State, error) {
	objects, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch {
		case inString && b[i] == '\\':
			i++
		case b[i] == '"':
			inString = !inString
		case !inString && b[i] == '{':
			objects++
		}
	}
	if most := 16 + len(b)/leastObject; objects > most {
		return nil, refuse("%d objects in %d bytes, want at most %d", objects, len(b), most)
	}
	var s State
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, refuse("%v", err)
	}
	return &s, nil
}
