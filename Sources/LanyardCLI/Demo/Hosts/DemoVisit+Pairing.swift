// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

// What is protected, and how it is come by.
extension DemoVisit {
    /// Refused, paired, read; and on the next link nobody is asked any more.
    func visitProtected(_ link: Link, _ found: Exploration) async throws -> Link {
        let handle = try found.handle(of: DemoDatabase.secret)
        try await meetProtection(link, handle)
        try await pair(link, handle)
        return try await meetAgain(link, handle)
    }

    private func meetProtection(_ link: Link, _ handle: AttributeHandle) async throws {
        try report.heading("A value for encrypted links, on one that is not")
        do {
            _ = try await link.read(handle)
        } catch GATT.Failure.attribute(let code, _) {
            try report.say("refused: \(code)")
            return try report.check(
                code == .insufficientAuthentication,
                "the value was refused for another reason"
            )
        }
        try report.check(false, "a protected value was read")
    }

    private func pair(_ link: Link, _ handle: AttributeHandle) async throws {
        try report.heading("Pairing: both devices show six digits, and two people compare them")
        let security = try await link.pair()
        try report.say("encrypted with a key of \(security.keySize) octets, which both keep")
        try report.check(
            security.isEncrypted && security.isAuthenticated && security.isBonded,
            "the link is not protected as it should be"
        )
        try report.check(
            people.shown.count == 2 && Set(people.shown).count == 1,
            "the devices showed different digits"
        )
        try await readProtected(link, handle)
    }

    private func meetAgain(_ link: Link, _ handle: AttributeHandle) async throws -> Link {
        try report.heading(
            "The next connection: encrypted before anything else, and nobody is asked"
        )
        try await link.disconnect()
        let again = try await host.connect(to: link.address)
        try await readProtected(again, handle)
        try report.check(
            try await again.security.isEncrypted && people.shown.count == 2,
            "the link was not encrypted by itself"
        )
        return again
    }

    private func readProtected(_ link: Link, _ handle: AttributeHandle) async throws {
        let value = try await link.read(handle)
        try report.say("the protected value: \(value.hexadecimal)")
        try report.check(value == [0xC0, 0xFF, 0xEE], "the protected value is another")
    }
}
