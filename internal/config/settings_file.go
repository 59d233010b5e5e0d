package config

import "crypto/sha256"

// AsFile writes the settings as a configuration file, the bytes of `peerd config show --yaml`: every setting of a site that
// applies, and settings of the laboratory that differ from their defaults, without dir. It does not say who set them, so that a
// running peer and an auditor with a copy of the folder write the same.
func (s *Settings) AsFile() []byte {
	values := s.Values()
	for _, k := range s.Schema().keys {
		_, own := Site().Find(k.Name)
		if k.Name == dirKey || !s.Applies(k) || !own && values[k.Name] == k.Default {
			delete(values, k.Name)
		}
	}
	return []byte(s.Schema().Text("", values))
}

// FileHash returns the SHA-256 of AsFile, which `peerd config show --yaml | sha256sum` prints.
func (s *Settings) FileHash() [sha256.Size]byte { return sha256.Sum256(s.AsFile()) }
