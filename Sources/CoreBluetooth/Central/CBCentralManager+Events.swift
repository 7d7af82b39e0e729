// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation

// What the adapter tells, on the manager's queue.
extension CBCentralManager {
    func receive(_ event: CentralEvent) {
        switch event {
        case .stateChanged(let state): stateChanged(to: state)
        case .restored(let restored): self.restored(restored)
        case .discovered(let peer, let name, let sighting): discovered(peer, name, sighting)
        case .connected(let peer, let wish):
            guard let peripheral = knownPeripheral(peer), peripheral.connected(wish) else { return }
            delegate?.centralManager(self, didConnect: peripheral)
        case .failedToConnect(let peer, let wish, let error):
            guard let peripheral = knownPeripheral(peer) else { return }
            peripheral.disconnected(wish)
            delegate?.centralManager(self, didFailToConnect: peripheral, error: error)
        case .disconnected(let peer, let parting):
            guard let peripheral = knownPeripheral(peer) else { return }
            parted(peripheral, parting)
        case .connectionEvent(let event, let peer):
            delegate?.centralManager(
                self,
                connectionEventDidOccur: event,
                for: peripheral(for: peer)
            )
        case .peripheral(let peer, .nameChanged(let name)): renamed(peer, name)
        case .peripheral(let peer, let event): knownPeripheral(peer)?.receive(event)
        }
    }

    private func discovered(_ peer: PeerIdentifier, _ name: String?, _ sighting: Sighting) {
        guard isScanning else { return }
        let peripheral = peripheral(for: peer, name: name)
        peripheral.heard(name)
        delegate?.centralManager(
            self,
            didDiscover: peripheral,
            advertisementData: AdvertisementDictionary.make(sighting),
            rssi: NSNumber(value: sighting.advertisement.rssi ?? SignalStrength.unknown)
        )
    }

    private func renamed(_ peer: PeerIdentifier, _ name: String?) {
        guard let peripheral = knownPeripheral(peer), peripheral.name != name else { return }
        peripheral.heard(name)
        peripheral.delegate?.peripheralDidUpdateName(peripheral)
    }

    private func parted(_ peripheral: CBPeripheral, _ parting: Parting) {
        let reconnects =
            parting.isReconnecting && peripheral.mirror.read { $0.wish } == parting.wish
        if reconnects {
            // Not before it has turned out that the delegate may have it.
            peripheral.lost(isReconnecting: delegate == nil)
        } else {
            peripheral.disconnected(parting.wish)
        }
        guard tell(of: peripheral, parting, reconnects: reconnects), reconnects else { return }
        peripheral.disconnected(parting.wish)
        adapter?.enter { [session, peer = peripheral.peer] in
            $0.stopReconnecting(peer, for: session, parting.wish)
        }
    }

    /// Tells the delegate that a link has ended; whether it took that by the older of its methods.
    private func tell(
        of peripheral: CBPeripheral,
        _ parting: Parting,
        reconnects: Bool
    ) -> Bool {
        guard let delegate else { return false }
        peripheral.disconnection.change {
            $0 = Disconnection(timestamp: parting.timestamp, isReconnecting: reconnects)
        }
        delegate.centralManager(self, didDisconnectPeripheral: peripheral, error: parting.error)
        return peripheral.disconnection.change { disconnection in
            defer { disconnection = nil }
            return disconnection?.wasForwarded == false
        }
    }

    private func stateChanged(to state: CBManagerState) {
        // Who was let go of in the meantime goes when the state is told.
        let lost = setState(state) { () -> [CBPeripheral] in
            if state == .poweredOn {
                restoredScanBegan()
                return []
            }
            guard !mirror.read(\.isRestoring) else { return [] }
            return powerLost(isReset: state.rawValue < CBManagerState.poweredOff.rawValue)
        }
        withExtendedLifetime(lost) {
            delegate?.centralManagerDidUpdateState(self)
        }
    }

    /// There are no scans and no links any more; if Bluetooth itself is gone, what was discovered is
    /// not good for anything either.
    private func powerLost(isReset: Bool) -> [CBPeripheral] {
        let peripherals = mirror.change { mirror in
            mirror.isScanning = false
            defer { if isReset { mirror.peripherals = [:] } }
            return mirror.peripherals.values.compactMap(\.object)
        }
        for peripheral in peripherals { peripheral.powerLost() }
        return peripherals
    }
}
