// SPDX-License-Identifier: Apache-2.0

// The Generic Access Profile, as a Central plays it (Vol 3, Part C): whom can I hear, and how do I
// reach them?
//
// Devices that want to be found shout a few dozen bytes every so often: an advertisement. A Central
// that listens is scanning; one that also asks each shouter for a second helping (the scan response)
// is scanning actively. The controller hands up what it heard as reports. `ReportAssembler` turns
// them into whole `Advertisement`s: it joins the chained fragments of extended advertising, lays the
// scan response beside the advertisement it belongs to, and remembers what it saw so that a report
// that says nothing new costs no parsing. `AdvertisementSieve` then keeps what a scan asked for.
// `AdvertisingData` reads the bytes themselves, lazily, and believes none of them.
//
// To connect, a Central listens for one particular shouter and answers it: it is initiating. A
// controller has one initiator and one scanner, and many cannot run both at once, while any number
// of callers may want any number of links. `CentralScheduler` is the one arbiter between them.
