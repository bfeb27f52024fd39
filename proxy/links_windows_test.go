package proxy

import "os"

var links = map[string]link{"pipes": os.Pipe}
