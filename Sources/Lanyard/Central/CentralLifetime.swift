// SPDX-License-Identifier: Apache-2.0

/// The lifetime of a central: its driver works as long as this object exists.
///
/// The app holds this object through the central, an accessory, a sequence, an observation or a
/// channel. The driver holds it weakly, and holds no object that holds it strongly. The lifetime
/// therefore ends when the app releases the last of these objects.
final class CentralLifetime: Sendable {
    let driver: CentralDriver

    init(_ driver: CentralDriver) {
        self.driver = driver
        driver.accessoryList.begin(self)
    }

    deinit { driver.close() }
}
