// SPDX-License-Identifier: Apache-2.0

// The Generic Access Profile (Vol 3, Part C): discovery of devices, connection requests and
// advertising.
//
// A peripheral sends advertisements at an interval. A central receives them by scanning. With
// active scanning, it also requests a second packet from each scannable advertiser, the scan
// response. The controller passes both to the host as reports. `ReportAssembler` turns reports into
// whole `Advertisement`s, and `AdvertisementFilter` selects those that a scan requested.
// `AdvertisingData` parses the bytes on demand and treats them as hostile.
//
// To connect, a central listens for one advertiser, or for those in the Filter Accept List, and
// answers the first that it receives. This is called initiating. A controller has one initiator and
// one scanner, and many controllers cannot run both at once, but callers may request many links.
// `CentralScheduler` decides between the requests.
//
// A peripheral describes its data as `AdvertisingContent`. `AdvertisingLayout` fits the content
// into the available bytes: 31 in an advertisement and 31 in a scan response, or up to 1650 with
// extended advertising. An `Advertising` also contains the kind, interval and other parameters.
// `Advertiser` decides the commands for it.
// `Advertiser` and `CentralScheduler` share one `CommandDialect`, because a controller that has
// received an extended command refuses the legacy ones.
