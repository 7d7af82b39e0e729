// SPDX-License-Identifier: Apache-2.0

/// The lifetime of a central: its driver works as long as this object exists.
///
/// The app retains this object through objects of the central: the central itself, an accessory, a
/// sequence, an observation or a channel. The driver retains neither this object nor any of them.
/// The lifetime therefore ends when the app has released all objects of the central.
final class CentralLifetime: Sendable {
    let driver: CentralDriver

    init(_ driver: CentralDriver) {
        self.driver = driver
        driver.accessoryList.begin(self)
    }

    deinit { driver.close() }
}
