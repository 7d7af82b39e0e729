// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import HCITransports

extension HostExecutor {
    func beginOutsideWork() {}
    func endOutsideWork() {}
}

struct TemporaryCipher: Sendable {
    func identifier(of address: DeviceAddress) -> PeerIdentifier {
        var bytes = [UInt8](repeating: 0x40, count: 8)
        for shift in 0..<6 { bytes.append(UInt8(truncatingIfNeeded: address.value >> (8 * shift))) }
        return PeerIdentifier(bytes + [address.kind == .random ? 1 : 0, 0])
            ?? PeerIdentifier(octets: bytes)
    }
    func address(of peer: PeerIdentifier) -> DeviceAddress? {
        var value: UInt64 = 0
        for shift in 0..<6 { value |= UInt64(peer.bytes[8 + shift]) << (8 * shift) }
        return DeviceAddress(value: value, kind: peer.bytes[14] == 1 ? .random : .public)
    }
}
extension BluetoothHost {
    nonisolated var peerCipher: TemporaryCipher { TemporaryCipher() }
    nonisolated func identifier(of address: DeviceAddress) -> PeerIdentifier {
        peerCipher.identifier(of: address)
    }
    nonisolated func address(of peer: PeerIdentifier) -> DeviceAddress? {
        peerCipher.address(of: peer)
    }
}
