// SPDX-License-Identifier: Apache-2.0

/// Accessories that stay connected.
///
/// Core Bluetooth tells an application what happens, and leaves to it what to do about that: a scan has
/// no end, a connection attempt no time-out, `didConnect` does not mean that the accessory can be used,
/// and a link that is lost is simply gone. Here an application *describes* its accessory, and gets one
/// that pairs, is found again at the next launch, comes back from out of range, and says at any time
/// what it is doing and why.
///
/// Everything that decides is a value: `AccessoryMachine` what becomes of one accessory, `ReconnectPlan`
/// when it is tried again, `LinkPool` who may have a link, `PresenceTracker` who is near. They know no
/// Core Bluetooth and no clock, and are tested by what they answer. `CentralDriver` feeds them what the
/// framework reports and what the application wishes, all on one queue, and does what they say.
///
/// What stands below is the framework called `CoreBluetooth`: Apple's on Apple's platforms, this
/// package's own on Linux. Nothing here knows which of the two it is, but for the choice of an adapter.
public enum Lanyard {}
