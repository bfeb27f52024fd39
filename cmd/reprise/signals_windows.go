package main

import "os"

// otherSignals are those that are for the server to understand: Windows has none.
func otherSignals() []os.Signal { return nil }
