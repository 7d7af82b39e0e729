// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Synchronization
import VirtualRadio

/// A recorder of every address on the advertising channels of a world, without a radio of its own.
final class AddressRecorder: Sendable {
    struct Record {
        /// The addresses of advertisers.
        var advertisers: Set<DeviceAddress> = []
        /// The addresses of scanners that send requests, of initiators, and of targets.
        var others: Set<DeviceAddress> = []
        var packetCount = 0
    }

    private let record = Mutex(Record())

    /// The addresses so far.
    var received: Record { record.withLock { $0 } }

    /// Begins to record.
    init(_ world: World) {
        world.core.packetObserver = { [self] packet in
            record.withLock { $0.note(packet.pdu) }
        }
    }

    func forget() {
        record.withLock { $0 = Record() }
    }
}

extension AddressRecorder.Record {
    var all: Set<DeviceAddress> { advertisers.union(others) }

    fileprivate mutating func note(_ pdu: AdvertisingPDU) {
        packetCount += 1
        switch pdu {
        case .legacy(let pdu), .scanResponse(let pdu): note(pdu.advertiser, [pdu.target])
        case .extended(let pdu): note(pdu.advertiser, [pdu.target])
        case .scanRequest(let pdu): note(pdu.advertiser, [pdu.scanner])
        case .connectionRequest(let pdu): note(pdu.advertiser, [pdu.initiator])
        case .connectionResponse(let pdu): note(pdu.advertiser, [pdu.initiator])
        }
    }

    private mutating func note(_ advertiser: DeviceAddress?, _ rest: [DeviceAddress?]) {
        if let advertiser { advertisers.insert(advertiser) }
        others.formUnion(rest.compactMap { $0 })
    }
}
