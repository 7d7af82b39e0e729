// SPDX-License-Identifier: Apache-2.0

// Where a virtual world meets hosts. A `World` (room `VirtualRadio`) is a value that somebody has to
// run: it knows no threads, no transports and no clock on the wall. This room runs it, in one of two
// ways, and makes the wires between its controllers and the hosts.
//
// In a `SimulatedAir`, time is virtual for everybody. One thread, the test's own, runs a loop: first
// all that hosts have to do at this instant (`SimulationExecutor`, on which any number of them
// live), then the world until it has something for one of them, or until a host's timer is due. So
// time never passes while anybody has work, and jumps where nobody has: an hour of waiting costs
// nothing. The order is the same in every run, and with it every packet. That is why nothing in it
// may wait for anything real. A task that works elsewhere cannot be seen; the loop waits for one
// only when nothing else is left, and not for ever. Work on queues that says when it begins and ends
// (`HostExecutor.beginOutsideWork()`) can be: time stands still for it.
//
// In a `LiveAir`, the world keeps pace with the clock on the wall. It lives on an `AdapterExecutor`,
// beside the sockets: each turn runs the world up to now, and a timer wakes it for what is due next.
// Hosts of the process share the thread; foreign ones come over a listening socket, and each
// connection gets a controller of its own for as long as it lasts.
//
// A `VirtualTransport` is the wire of a host in either. A `WorldTrace` writes what passes between
// controllers and hosts, one packet log for each controller, in the time of the world.
