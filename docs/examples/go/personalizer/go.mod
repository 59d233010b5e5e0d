module example.org/personalizer

go 1.26.0

require peerd.dev v0.0.0

replace peerd.dev => ../../../..
