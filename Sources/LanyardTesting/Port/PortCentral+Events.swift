// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation
import Lanyard

// Events of the adapter, on the central's queue.
extension PortCentral {
    func receive(_ event: CentralEvent) {
        switch event {
        case .stateChanged(let state): stateChanged(to: state)
        case .restored(let restored): self.restored(restored)
        case .discovered(let peer, let name, let match): discovered(peer, name, match)
        case .connected(let peer, let request):
            guard let peripheral = known(peer), let source = peripheral.port,
                source.remote.connected(request)
            else { return }
            source.refresh()
            post(.connected(peripheral))
        case .failedToConnect(let peer, let request, let error):
            guard let peripheral = known(peer) else { return }
            peripheral.port?.change { $0.disconnected(request) }
            post(.failedToConnect(peripheral, LinkFailure(error)))
        case .disconnected(let peer, let end):
            guard let peripheral = known(peer) else { return }
            disconnected(peripheral, end)
        // Only clients that register for connection events get them.
        case .connectionEvent: break
        case .peripheral(let peer, .nameChanged(let name)):
            guard let peripheral = known(peer), peripheral.name != name else { return }
            peripheral.name = name
            post(.peripheral(peripheral, .nameChanged, nil))
        case .peripheral(let peer, let event): known(peer)?.port?.receive(event)
        }
    }

    private func discovered(_ peer: PeerIdentifier, _ name: String?, _ match: ScanMatch) {
        guard isScanning else { return }
        let peripheral = peripheral(of: peer, name: name)
        if let name { peripheral.name = name }
        let discovery = Discovery(peripheral.identifier, name: peripheral.name, match)
        post(.discovered(peripheral, discovery))
    }

    private func disconnected(_ peripheral: SystemPeripheral, _ end: ConnectionEnd) {
        let reconnects = end.isReconnecting && peripheral.port?.remote.request == end.request
        peripheral.port?
            .change { remote in
                if reconnects {
                    remote.lost(isReconnecting: true)
                } else {
                    remote.disconnected(end.request)
                }
            }
        let failure = end.error.map { LinkFailure($0) }
        post(.disconnected(peripheral, failure, isReconnecting: reconnects))
    }
}

extension Discovery {
    /// Creates a discovery from an advertisement.
    fileprivate init(_ identifier: UUID, name: String?, _ match: ScanMatch) {
        self.init(
            identifier: identifier,
            name: match.advertisement.data.localName ?? name,
            services: (match.services + match.overflowServices).map { BluetoothID($0) },
            serviceData: Dictionary(
                match.serviceData.map { (BluetoothID($0.service), Data($0.bytes)) },
                uniquingKeysWith: { $1 }
            ),
            manufacturerData: match.manufacturerData.map { Data($0) },
            rssi: match.advertisement.rssi.map { Int($0) },
            transmitPower: match.advertisement.txPower.map { Int($0) },
            isConnectable: match.advertisement.isConnectable
        )
    }
}
