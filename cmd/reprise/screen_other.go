//go:build !windows

package main

import "os"

func understandsColor(*os.File) bool { return true }
