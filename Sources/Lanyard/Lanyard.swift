// SPDX-License-Identifier: Apache-2.0

@_exported import BluetoothValues

/// The namespace of the library that keeps accessories connected.
///
/// Core Bluetooth reports events and leaves the reactions to the app: a scan has no end, a
/// connection attempt has no timeout, `didConnect` does not mean that the accessory is usable, and
/// by default a lost link does not return. With this library an app *describes* its accessory. The
/// library pairs it, finds it again at the next launch, reconnects it after range loss, and reports
/// the state of the accessory and its reason.
///
/// The types that make decisions are value types. `AccessoryMachine` decides the next step of one
/// accessory, `ReconnectPlan` the time of the next attempt, `LinkPool` the accessories that may
/// have a link, and `PresenceTracker` the devices that are near. They do not use Core Bluetooth or
/// a clock, so tests check their answers directly. `CentralDriver` passes them the callbacks of the
/// framework and the calls of the app, all on one queue, and performs their actions.
///
/// The layer below is the framework `CoreBluetooth`: Apple's on Apple's platforms, this package's
/// on Linux. The API of this library is the same on both, except that an app on Linux can choose
/// an adapter. The module exports `BluetoothValues`, so that an app needs no second import for
/// typed values.
public enum Lanyard {}
