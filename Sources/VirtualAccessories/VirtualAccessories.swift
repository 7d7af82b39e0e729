// SPDX-License-Identifier: Apache-2.0

// Devices to meet on the virtual air: beacons that only say something, and accessories that can be
// connected to, read, written and subscribed to.
//
// Every one of them is a `ScriptedHost`, a host written as a value: packets of its controller in,
// packets to its controller out, and a deadline. The world runs it like everything else, so it is
// as reproducible as the radio below it, and costs nothing while nothing happens. A `Beacon` starts
// its controller up, says what to advertise, and has nothing more to do. A `SimpleAccessory` is a
// Peripheral with a GATT server, the host's own: it advertises, serves one Central at a time, and
// advertises again when that has gone.
//
// What an accessory is, is said by an `AccessoryProfile`: its services and their values, what it
// streams to those who subscribe, and how it reacts to what is written. The same wire formats serve
// both sides of the project: frames, Attribute Protocol and advertising data are encoded here by
// the codecs that the host decodes with, which is why peers that nobody here wrote are asked to
// read them as well. Those that pair do it with the host's own
// Security Manager, and their person says yes to everything; the others tell a Central that they do
// not. `ExampleAccessories` are the ones to try things out with.
