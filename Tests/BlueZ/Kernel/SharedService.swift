// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing

/// The service that either side serves in these scenarios. It has a plain value, a value that
/// requires encryption, and a value that is notified.
enum SharedService {
    static let service = BluetoothUUID(0xFFE0)
    static let value = BluetoothUUID(0xFFE1)
    static let secret = BluetoothUUID(0xFFE2)
    static let ticker = BluetoothUUID(0xFFE3)

    static let firstValue: [UInt8] = [0xCA, 0xFE]
    static let secretValue: [UInt8] = [0x5E, 0xC2]

    /// The service as BlueZ registers it.
    static let ofBlueZ = ServedService(
        uuid: service,
        characteristics: [
            ServedCharacteristic(uuid: value, flags: ["read", "write"], value: firstValue),
            ServedCharacteristic(uuid: secret, flags: ["encrypt-read"], value: secretValue),
            ServedCharacteristic(uuid: ticker, flags: ["read", "notify"], value: [0]),
        ]
    )

    /// The service as our host publishes it.
    static let ofOurs = GATT.ServiceDefinition(
        service,
        [
            .init(value, [.read, .write], value: .stored(firstValue)),
            .init(
                secret,
                .read,
                permissions: .init(read: .encrypted),
                value: .stored(secretValue)
            ),
            .init(ticker, [.read, .notify], value: .stored([0])),
        ]
    )
}

/// The shared service that BlueZ serves, as our host discovered it.
struct FoundSharedService: Sendable {
    let link: Link
    let value: GATT.Characteristic
    let secret: GATT.Characteristic
    let ticker: GATT.Characteristic

    /// Discovers the shared service of the peer.
    init(on link: Link) async throws {
        self.link = link
        var found: [BluetoothUUID: GATT.Characteristic] = [:]
        for service in try await link.discoverServices(uuid: SharedService.service) {
            for characteristic in try await link.discoverCharacteristics(of: service) {
                found[characteristic.uuid] = characteristic
            }
        }
        guard let value = found[SharedService.value], let secret = found[SharedService.secret],
            let ticker = found[SharedService.ticker]
        else { throw HostError.unsupported("the shared service") }
        (self.value, self.secret, self.ticker) = (value, secret, ticker)
    }

    /// Expects that the link ends by the supervision timeout after the cut, neither before nor much
    /// later.
    func expectSilence(after cut: () -> Void) async throws {
        let timeout = try await link.properties.parameters.supervisionTimeout
        let clock = ContinuousClock()
        let start = clock.now
        cut()
        let end = try await within(Limits.step, "the end of a link") { try await link.ended() }
        let silence = start.duration(to: clock.now)
        #expect(end == .disconnected(.connectionTimeout))
        #expect(silence > timeout * 0.8, "the supervision timeout is \(timeout)")
        #expect(
            silence < timeout + .seconds(3) * Limits.factor,
            "the supervision timeout is \(timeout)"
        )
    }
}
