// SPDX-License-Identifier: Apache-2.0

/// Virtual accessories for an application's own tests.
///
/// A `TestWorld` is an air with a time of its own. Phones and accessories are put into it in a few
/// lines; the application's own code runs against them unchanged, as fast as it goes, and the same seed
/// tells the same story. A minute in it takes about as long as the work that there is in it.
///
/// Everything in the world is real but for the radio: a phone has this package's own host and
/// `CoreBluetooth` on a virtual controller, an accessory its own GATT server and keys on another. So
/// what goes wrong in here goes wrong as it does outside: a link is lost by its supervision time-out,
/// not by a call of a mock.
public enum LanyardTesting {}
