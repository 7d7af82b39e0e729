// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ protects its values, and our host raises the security of the link when a request needs it.
@Suite(.machines) struct AccessoryProtectionTests {
    @Test(
        "BlueZ refuses each protected value with the error for its requirement",
        arguments: Setting.oldestAndLatest
    )
    func refusals(_ setting: Setting) async throws {
        try await withAccessory(
            setting,
            "protected attributes",
            io: .displayYesNo,
            serving: [ProtectedValues.service]
        ) { configuration in
            configuration.securesOnDemand = false
        } _: { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            try await ProtectedValues.expect(
                [
                    .insufficientEncryption, .insufficientAuthentication,
                    .insufficientAuthentication,
                ],
                of: database,
                on: link
            )
            // Just Works, because our side has no display.
            #expect(try await link.pair() == PairingVariant.by(.justWorks).security)
            try await ProtectedValues.expect(
                [nil, .insufficientAuthentication, .insufficientAuthentication],
                of: database,
                on: link
            )
        }
    }

    @Test(
        "Reading a value that requires encryption pairs and repeats the read",
        arguments: Setting.crossed
    )
    func encryptionOnDemand(_ setting: Setting) async throws {
        try await withAccessory(
            setting,
            "protected attributes",
            serving: [ProtectedValues.service]
        ) { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            #expect(
                try await link.read(try database.handle(ProtectedValues.sealed))
                    == ProtectedValues.value
            )
            #expect(try await link.security == PairingVariant.by(.justWorks).security)
            #expect(await fixture.host.bonds.count == 1)
        }
    }

    @Test(
        "Writing a value that requires authentication asks both users",
        arguments: Setting.latestOnly
    )
    func authenticationOnDemand(_ setting: Setting) async throws {
        let variant = PairingVariant.by(.numericComparison)
        try await withAccessory(
            setting,
            "protected attributes",
            io: variant.theirs,
            serving: [ProtectedValues.service]
        ) { configuration in
            configuration.pairing = variant.policy
        } _: { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            try await link.write([1, 2], to: try database.handle(ProtectedValues.signed))
            #expect(try await fixture.bluez.servedValue(ProtectedValues.signed) == [1, 2])
            #expect(try await link.security == variant.security)
            try await PairingPeople(fixture, variant).expectExperiences()
            #expect(
                try await link.read(try database.handle(ProtectedValues.secured))
                    == ProtectedValues.value
            )
        }
    }

    @Test(
        "A read that lacks authorization fails without a pairing",
        arguments: Setting.latestOnly
    )
    func authorization(_ setting: Setting) async throws {
        try await withAccessory(
            setting,
            "protected attributes",
            serving: [ProtectedValues.service]
        ) { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            try await fixture.bluez.refuse(
                ProtectedValues.protected,
                with: "org.bluez.Error.NotAuthorized"
            )
            let protected = try database.handle(ProtectedValues.protected)
            await #expect(
                throws: GATT.Failure.attribute(.insufficientAuthorization, handle: protected)
            ) {
                try await link.read(protected)
            }
            #expect(await fixture.host.bonds == [])
        }
    }
}

/// Values that BlueZ protects.
private enum ProtectedValues {
    static let uuid = BluetoothUUID(0xFFE0)
    static let sealed = BluetoothUUID(0xFFE1)
    static let signed = BluetoothUUID(0xFFE2)
    static let secured = BluetoothUUID(0xFFE3)
    static let protected = BluetoothUUID(0xFFE4)
    static let value = Array("secret".utf8)

    static let service = ServedService(
        uuid: uuid,
        characteristics: [
            ServedCharacteristic(
                uuid: sealed,
                flags: ["encrypt-read", "encrypt-write"],
                value: value
            ),
            ServedCharacteristic(
                uuid: signed,
                flags: ["encrypt-authenticated-read", "encrypt-authenticated-write"],
                value: value
            ),
            ServedCharacteristic(
                uuid: secured,
                flags: ["secure-read", "secure-write"],
                value: value
            ),
            ServedCharacteristic(uuid: protected, flags: ["read", "authorize"], value: value),
        ]
    )

    /// Expects that each of the first three values is refused with its error or, if the error is
    /// `nil`, is read.
    static func expect(
        _ codes: [ATT.ErrorCode?],
        of database: GATT.Database,
        on link: Link
    ) async throws {
        for (uuid, code) in zip([sealed, signed, secured], codes) {
            let handle = try database.handle(uuid)
            guard let code else {
                #expect(try await link.read(handle) == value)
                continue
            }
            let refusal = GATT.Failure.attribute(code, handle: handle)
            await #expect(throws: refusal) { try await link.read(handle) }
            await #expect(throws: refusal) { try await link.write([1], to: handle) }
        }
    }
}
