module example.org/personalizer

go 1.26.6

require peerd.dev v0.0.0

replace peerd.dev => ../../../..
