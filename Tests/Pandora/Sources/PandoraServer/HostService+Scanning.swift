// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import PandoraInterface

extension HostService {
    func scan(
        request: Pandora_ScanRequest,
        response: RPCWriter<Pandora_ScanningResponse>,
        context: ServerContext
    ) async throws {
        let parameters = try ScanParameters(request)
        try await untilCanceled {
            let host = try await device.session.host
            let own = await parameters.usesPublicAddress ? host.publicAddress : host.identityAddress
            var responses = ScanResponses()
            for try await found in host.scan(parameters: parameters, reportsDuplicates: true)
            where found.isLegacy || !request.legacy {
                let whole = parameters.isActive ? responses.take(found) : found
                if let whole { try await response.write(.init(whole, of: own)) }
            }
        }
    }
}

extension ScanParameters {
    fileprivate init(_ request: Pandora_ScanRequest) throws {
        self.init()
        isActive = !request.passive
        usesPublicAddress = try request.ownAddressType.isPublic
        let primary = try Set(request.phys.map { try $0.phy })
        phys = request.legacy ? [.le1M] : primary.isEmpty ? [.le1M, .leCoded] : primary
        if request.interval > 0 {
            interval = try .init(milliseconds: request.interval)
            window = interval
        }
        if request.window > 0 { window = try .init(milliseconds: request.window) }
    }
}

extension Duration {
    /// The longest accepted time in milliseconds: an hour.
    private static let longest: Float = 3_600_000

    /// Creates a duration from a time in a message.
    ///
    /// - Throws: `RPCError` if the time is negative, not a number, or longer than an hour.
    init(milliseconds: Float) throws {
        guard milliseconds >= 0, milliseconds <= Self.longest else {
            throw RPCError.invalid("\(milliseconds) is not a time in milliseconds")
        }
        self = .microseconds(Int(milliseconds * 1_000))
    }
}

extension Pandora_PrimaryPhy {
    var phy: PHY {
        get throws {
            switch self {
            case .primary1M: .le1M
            case .primaryCoded: .leCoded
            case .UNRECOGNIZED(let number): throw RPCError.invalid("there is no PHY \(number)")
            }
        }
    }
}

extension Pandora_ScanningResponse {
    /// The value of the interface and of HCI for an unknown power (Vol 4, Part E, 7.7.65.13).
    private static let unknownPower: Int32 = 127

    /// Creates the message.
    ///
    /// - Parameters:
    ///   - found: The advertisement.
    ///   - own: The address with which the host scans.
    fileprivate init(_ found: Advertisement, of own: DeviceAddress?) {
        self.init()
        legacy = found.isLegacy
        let bytes = found.address.messageBytes
        switch (found.address.kind, found.isIdentityResolved) {
        case (.public, false): self.public = bytes
        case (.random, false): random = bytes
        case (.public, true): publicIdentity = bytes
        case (.random, true): randomStaticIdentity = bytes
        }
        if found.isDirected, let own {
            switch own.kind {
            case .public: directPublic = own.messageBytes
            case .random: directNonResolvableRandom = own.messageBytes
            }
        }
        connectable = found.isConnectable
        scannable = found.isScannable
        truncated = found.isTruncated
        sid = UInt32(found.setIdentifier ?? 0)
        primaryPhy = found.primaryPHY == .leCoded ? .primaryCoded : .primary1M
        secondaryPhy =
            switch found.secondaryPHY {
            case .le1M?: .secondary1M
            case .le2M?: .secondary2M
            case .leCoded?: .secondaryCoded
            default: .secondaryNone
            }
        txPower = found.txPower.map(Int32.init) ?? Self.unknownPower
        rssi = found.rssi.map(Int32.init) ?? Self.unknownPower
        if let interval = found.periodicInterval {
            periodicAdvertisingInterval = Float(interval / .microseconds(1)) / 1_000
        }
        data = .init(found.data)
    }
}
