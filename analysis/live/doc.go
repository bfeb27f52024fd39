// Package live calls a server that runs now: to collect values that it gives, and to hold direct cases against it.
//
//	             ┌─ Harvester ─▶ values with their births, a checks file
//	conn ─ Client┤
//	             └─ Checker ───▶ outcomes of cases, with the exact bytes
//
// It promises:
//   - No tool is called that the server does not declare read-only, but those that a Gate lets through by name. The gate
//     is in the client: there is no way around it.
//   - What keeps a call from being answered (a server that dies, is silent, or wants what this client has not) is trouble,
//     and never a failure of the server's.
//   - Every wait ends, and what a server says without end is cut off.
//   - The bytes of a request and of its response are kept as they crossed.
//
// It does not decide whether a check holds: that is package analysis. It starts no process and writes no file.
package live
