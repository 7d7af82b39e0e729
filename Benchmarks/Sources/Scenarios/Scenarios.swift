// SPDX-License-Identifier: Apache-2.0

// The code that the benchmarks measure. Other targets measure and print. A scenario of a host has
// its controller and its peer in the same process, so that a figure does not include the cost of
// sockets and other processes. `Scripts/benchmark-hosts` measures that cost.
