// SPDX-License-Identifier: Apache-2.0

/// That somebody wants a central: as long as this lives, its driver works.
///
/// The application holds it, through the central, an accessory, or whatever came of those: a sequence, an
/// observation, a channel. The driver holds it weakly, and nothing that holds it strongly: so it ends
/// when the application has let go of the last of them, and not before.
final class CentralLife: Sendable {
    let driver: CentralDriver

    init(_ driver: CentralDriver) {
        self.driver = driver
        driver.roster.begin(self)
    }

    deinit { driver.close() }
}
