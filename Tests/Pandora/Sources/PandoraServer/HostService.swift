// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import PandoraInterface
import SwiftProtobuf

/// The procedures of a host, except those of BR/EDR.
struct HostService: Pandora_Host.SimpleServiceProtocol {
    /// The time after which a peer that does not answer counts as not found.
    private static let connectTimeout: Duration = .seconds(30)

    let device: Device

    // MARK: - The device

    func factoryReset(
        request: Google_Protobuf_Empty,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        try await untilCanceled { try await device.restart(removesBonds: true) }
        return .init()
    }

    func reset(
        request: Google_Protobuf_Empty,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        try await untilCanceled { try await device.restart(removesBonds: false) }
        return .init()
    }

    func readLocalAddress(
        request: Google_Protobuf_Empty,
        context: ServerContext
    ) async throws -> Pandora_ReadLocalAddressResponse {
        try await untilCanceled {
            let host = try await device.session.host
            guard let address = await host.publicAddress else {
                throw RPCError(code: .failedPrecondition, message: "no public address")
            }
            return .with { $0.address = address.messageBytes }
        }
    }

    // MARK: - Connections

    func connectLE(
        request: Pandora_ConnectLERequest,
        context: ServerContext
    ) async throws -> Pandora_ConnectLEResponse {
        let address = try request.peer
        var options = ConnectOptions(timeout: Self.connectTimeout)
        options.parameters.usesPublicAddress = try request.ownAddressType.isPublic
        options.parameters.phys = [.le1M, .leCoded]
        return try await untilCanceled { [options] in
            let session = try await device.session
            do {
                let link = try await session.host.connect(to: address, options: options)
                return .with { $0.connection = session.connections.message(for: link) }
            } catch HostError.timedOut {
                return .with { $0.peerNotFound = .init() }
            } catch HostError.alreadyConnecting {
                return .with { $0.connectionAlreadyExists = .init() }
            }
        }
    }

    func getConnectionParameters(
        request: Pandora_GetConnectionParametersRequest,
        context: ServerContext
    ) async throws -> Pandora_GetConnectionParametersResponse {
        try await untilCanceled {
            do {
                let link = try await device.session.connections.link(of: request.connection)
                let parameters = try await link.properties.parameters
                return .with { $0.connectionParameters = .init(parameters) }
            } catch is HostError {
                return .with { $0.connectionNotFound = .init() }
            }
        }
    }

    func disconnect(
        request: Pandora_DisconnectRequest,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        try await untilCanceled {
            try await device.session.connections.link(of: request.connection).disconnect()
        }
        return .init()
    }

    func waitDisconnection(
        request: Pandora_WaitDisconnectionRequest,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        try await untilCanceled {
            _ = try await device.session.connections.link(of: request.connection).ended()
        }
        return .init()
    }
}

extension Pandora_ConnectLERequest {
    fileprivate var peer: DeviceAddress {
        get throws {
            switch address {
            case .public(let bytes), .publicIdentity(let bytes): try DeviceAddress(bytes, .public)
            case .random(let bytes), .randomStaticIdentity(let bytes):
                try DeviceAddress(bytes, .random)
            case nil: throw RPCError.invalid("the request has no address")
            }
        }
    }
}

extension Pandora_OwnAddressType {
    /// Whether this is the controller's public address, and not the host's random static one.
    var isPublic: Bool {
        get throws {
            switch self {
            case .public: true
            case .random: false
            case .resolvableOrPublic, .resolvableOrRandom:
                throw RPCError.unsupported("a resolvable private address for one procedure")
            case .UNRECOGNIZED(let number):
                throw RPCError.invalid("there is no own address type \(number)")
            }
        }
    }
}

extension Pandora_ConnectionParameters {
    /// Creates the message, in the units of the protocol (Vol 4, Part E, 7.8.18).
    fileprivate init(_ parameters: ConnectionParameters) {
        self.init()
        connectionInterval = UInt32(parameters.interval / .microseconds(1_250))
        peripheralLatency = UInt32(parameters.peripheralLatency)
        supervisionTimeout = UInt32(parameters.supervisionTimeout / .milliseconds(10))
    }
}
