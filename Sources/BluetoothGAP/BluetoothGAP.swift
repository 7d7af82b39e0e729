// SPDX-License-Identifier: Apache-2.0

// The Generic Access Profile (Vol 3, Part C): whom can I hear, and how do I reach them; and how am I
// heard and reached?
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
//
// A Peripheral is the one who shouts. It says what it wants to say as `AdvertisingContent`, which
// `AdvertisingLayout` fits into the octets there are: 31 in an advertisement and as many in a scan
// response, or up to 1650 where both sides know extended advertising. How it shouts is an
// `Advertising`; `Advertiser` has the controller do it, set by set, and again after every connection,
// reset and refusal. It stands beside `CentralScheduler`, in its manner, and both speak one
// `CommandDialect`: a controller that has heard an extended command refuses the legacy ones.
