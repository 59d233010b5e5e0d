package site

type inside struct{}
