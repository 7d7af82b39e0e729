// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothPort
import BluetoothRadios
import BluetoothTypes

/// The discoveries of a scan.
typealias Discoveries = AsyncThrowingStream<Advertisement, any Error>

/// An adapter on which commands scan, connect and pair: the hosts of this process, or the system's
/// Bluetooth daemon.
protocol CentralAdapter: Sendable {
    /// The time of the adapter's clock.
    var currentTime: Instant { get }

    /// Scans until the stream is dropped or its task is canceled.
    func discoveries(
        for filter: ScanFilter,
        parameters: ScanParameters,
        reportsDuplicates: Bool
    ) async throws -> Discoveries
    /// Connects. Cancellation ends the attempt.
    func link(to address: DeviceAddress) async throws -> any PeripheralLink
    /// Returns the bonds. The last bond of a host is the most recently used.
    func accessoryBonds() async -> [AccessoryBond]
    /// Removes a bond, and returns when it is removed.
    func remove(_ bond: AccessoryBond) async throws
}

extension CentralAdapter {
    /// Scans for all devices, and reports a device again only when its data has changed.
    func discoveries() async throws -> Discoveries {
        try await discoveries(
            for: ScanFilter(),
            parameters: ScanParameters(),
            reportsDuplicates: false
        )
    }
}

/// A link to an accessory.
protocol PeripheralLink: ConnectedAccessory {
    /// The protection of the link; `nil` if the adapter does not report it.
    var protection: LinkSecurity? { get async throws }
    /// The bond with the accessory; `nil` if there is none.
    var bond: AccessoryBond? { get async throws }

    /// Pairs, or encrypts the link with the keys of a bond. The daemon ignores the policy.
    func secure(_ policy: Pairing.Policy) async throws
    /// Returns the signal strength in dBm; `nil` if it is not measured.
    func readRSSI() async throws -> Int?
    /// Waits until the link ends, and returns the reason in words.
    func endReason() async throws -> String
    func disconnect() async throws
}

extension RadioGroup: CentralAdapter {
    var currentTime: Instant { executor.now }

    func discoveries(
        for filter: ScanFilter,
        parameters: ScanParameters,
        reportsDuplicates: Bool
    ) -> Discoveries {
        scan(for: filter, parameters: parameters, reportsDuplicates: reportsDuplicates)
    }

    func link(to address: DeviceAddress) async throws -> any PeripheralLink {
        try await connect(to: address, options: ConnectOptions(timeout: nil))
    }

    func accessoryBonds() async -> [AccessoryBond] { await bonds.map { AccessoryBond($0) } }

    func remove(_ bond: AccessoryBond) async { await removeBond(bond.identifier) }
}

extension Link: PeripheralLink {
    var protection: LinkSecurity? { get async throws { try await security } }

    var bond: AccessoryBond? {
        get async throws { try await bondedPeer.map { AccessoryBond($0) } }
    }

    func secure(_ policy: Pairing.Policy) async throws { _ = try await pair(policy) }

    func endReason() async throws -> String { try await ended().reasonText }
}

extension HostError {
    /// The reason for the end of a link in words, without the name of the event.
    var reasonText: String {
        if case .disconnected(let code) = self { "\(code)" } else { "\(self)" }
    }
}

extension PortError {
    /// The reason for the end of a link, or for a refusal, in words, as far as the daemon reports
    /// it.
    var reasonText: String {
        switch self {
        case .linkEnded(.timeout), .timedOut: "the device does not answer"
        case .linkEnded(.endedByPeer): "the device ended it"
        case .linkEnded(.notEncrypted), .notEncrypted: "it could not be encrypted"
        case .unavailable: "the adapter is not available"
        case .other(let reason): reason
        default: "the Bluetooth daemon reports no reason"
        }
    }
}
