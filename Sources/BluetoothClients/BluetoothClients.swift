// SPDX-License-Identifier: Apache-2.0

// The clients of an adapter: the state that the central and peripheral managers of one process
// share, as values and without a type of an application's framework.
//
// `AdapterUsage` is the process's use of one adapter: its settings, and its `SharedAdapter` while
// it is open. A client is a session with a `Delivery` for its events. It enters the adapter's
// thread with its commands, in the order of the calls. On that thread, `SharedAdapter` updates its
// cores and calls its port:
//
//     Central       connection requests, which count the users of a link; scans; names of peers
//     Client        requests to the attributes of a link, subscriptions, and known attributes
//     Server        published services, requests of centrals, values for subscribers, advertising
//     Channels      the buffers between a channel of the port and the streams of an application
//     Restoration   the state that the next process needs, as records of the port
//     Host          the only folder that makes a host, for an adapter on a transport
//
// Events return as `CentralEvent` and `PeripheralManagerEvent` on the client's queue. On that
// queue, the module CoreBluetooth translates them to the objects and delegates of Apple's
// framework, and `LanyardTesting` to the events of the library `Lanyard`.
