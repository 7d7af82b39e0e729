// SPDX-License-Identifier: Apache-2.0

/// Virtual accessories for an app's own tests.
///
/// A `TestWorld` is a virtual radio with its own time. A test adds phones and accessories to it in
/// a few lines. The app's own code runs against them unchanged and as fast as possible, and the
/// same seed gives the same events.
///
/// Only the radio and its controllers are simulated. A phone has this package's host on a virtual
/// controller. An accessory has its own GATT server and keys on a controller of its own. So
/// failures happen as they do in reality: a link is lost by its supervision timeout, not by a call
/// of a mock.
///
/// The module builds on every platform: the library `Lanyard` uses a phone's host without the
/// module CoreBluetooth. On Linux, a phone also has an adapter for an app's own managers.
public enum LanyardTesting {}
