// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import PandoraInterface

extension HostService {
    func advertise(
        request: Pandora_AdvertiseRequest,
        response: RPCWriter<Pandora_AdvertiseResponse>,
        context: ServerContext
    ) async throws {
        let advertising = try Advertising(request)
        try await untilCanceled {
            let session = try await device.session
            // The stream begins before the set, so that no link is missed.
            let links = session.host.incomingLinks
            let set = try await session.host.advertise(advertising)
            do {
                for await link in links {
                    let connection = session.connections.message(for: link)
                    try await response.write(.with { $0.connection = connection })
                }
            } catch {
                await set.stop()
                throw error
            }
            await set.stop()
        }
    }
}

extension Advertising {
    fileprivate init(_ request: Pandora_AdvertiseRequest) throws {
        let scanResponse = request.hasScanResponseData ? try request.scanResponseData.bytes : nil
        self.init(
            rawAdvertisingData: request.hasData ? try request.data.bytes : [],
            scanResponse: scanResponse ?? [],
            kind: request.connectable
                ? .connectable : scanResponse == nil ? .nonConnectable : .scannable,
            form: request.legacy ? .legacy : .extended
        )
        if let target = try request.targetAddress { direct(at: target) }
        if try request.ownAddressType.isPublic { address = .public }
        if request.interval > 0 {
            let shortest = try Duration(milliseconds: request.interval)
            interval = shortest...shortest + (try Duration(milliseconds: request.intervalRange))
        }
        guard form == .extended else { return }
        primaryPHY = try request.primaryPhy.phy
        secondaryPHY = try request.secondaryPhy.phy
    }

    /// Directs the advertising at one device. In legacy packets, directed advertising allows a
    /// connection and has no data (Vol 6, Part B, 2.3.1.2).
    private mutating func direct(at target: DeviceAddress) {
        if form == .legacy {
            content = .raw(advertisingData: [], scanResponse: [])
            kind = .directed(target, .low)
        } else if kind == .connectable {
            kind = .directed(target, .low)
        } else {
            recipient = target
        }
    }
}

extension Pandora_AdvertiseRequest {
    fileprivate var targetAddress: DeviceAddress? {
        get throws {
            switch target {
            case .public(let bytes)?: try DeviceAddress(bytes, .public)
            case .random(let bytes)?: try DeviceAddress(bytes, .random)
            case nil: nil
            }
        }
    }
}

extension Pandora_SecondaryPhy {
    fileprivate var phy: PHY {
        get throws {
            switch self {
            case .secondaryNone, .secondary1M: .le1M
            case .secondary2M: .le2M
            case .secondaryCoded: .leCoded
            case .UNRECOGNIZED(let number): throw RPCError.invalid("there is no PHY \(number)")
            }
        }
    }
}
