// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import PandoraInterface
import SwiftProtobuf

/// The service for the bonds of the device.
struct SecurityStorageService: Pandora_SecurityStorage.SimpleServiceProtocol {
    let device: Device

    func isBonded(
        request: Pandora_IsBondedRequest,
        context: ServerContext
    ) async throws -> Google_Protobuf_BoolValue {
        try await untilCanceled {
            let address = try request.address.map(Self.address)
            return .init(try await bond(with: address) != nil)
        }
    }

    func deleteBond(
        request: Pandora_DeleteBondRequest,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        try await untilCanceled {
            let address = try request.address.map(Self.address)
            guard let bond = try await bond(with: address) else { return .init() }
            try await device.session.host.removeBond(bond.identifier)
            return .init()
        }
    }

    private func bond(with address: DeviceAddress?) async throws -> BondedPeer? {
        guard let address else { throw RPCError.invalid("the request has no address") }
        return try await device.session.host.bonds.first { $0.identity == address }
    }

    private static func address(
        _ address: Pandora_IsBondedRequest.OneOf_Address
    ) throws -> DeviceAddress {
        switch address {
        case .public(let bytes): try DeviceAddress(bytes, .public)
        case .random(let bytes): try DeviceAddress(bytes, .random)
        }
    }

    private static func address(
        _ address: Pandora_DeleteBondRequest.OneOf_Address
    ) throws -> DeviceAddress {
        switch address {
        case .public(let bytes): try DeviceAddress(bytes, .public)
        case .random(let bytes): try DeviceAddress(bytes, .random)
        }
    }
}
