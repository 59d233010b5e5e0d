package api

import (
	"net/http"
	"time"
)

// A stream is the body of an answer that may take long. The answer begins with the first byte.
type stream struct {
	w     http.ResponseWriter
	kind  string
	began bool
}

// Write implements [io.Writer]. Each write gets the time of a whole answer.
func (s *stream) Write(b []byte) (int, error) {
	if !s.began {
		s.began = true
		s.w.Header().Set("Content-Type", s.kind)
		s.w.WriteHeader(http.StatusOK)
	}
	if err := http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return s.w.Write(b)
}

func (s *Server) backup(w http.ResponseWriter, r *http.Request) {
	out := &stream{w: w, kind: "application/gzip"}
	err := s.c.Backend.Backup(r.Context(), out)
	switch {
	case err != nil && out.began:
		s.log.Error("api request failed", "route", r.Pattern, "err", err)
		panic(http.ErrAbortHandler) // a part has been sent already
	case err != nil:
		s.problemOf(r, err).write(w)
	}
}
