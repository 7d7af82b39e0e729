// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation

// Events of the adapter, on the manager's queue.
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
            // Peripherals reconnect only if the delegate leaves the older method to its default
            // (`Disconnection.wasForwarded`), and only then does the state become `connecting`.
            // Without a delegate, they reconnect too.
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

    /// Reports a disconnection to the delegate. Returns whether the delegate has the older of the
    /// two methods.
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
        // The peripherals are released only after the delegate was called: releasing one under the
        // lock would take the lock again.
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

    /// Ends the scan and all connections.
    ///
    /// - Parameter isReset: Whether Bluetooth itself was reset, which also invalidates the
    ///   peripherals that were discovered.
    /// - Returns: The peripherals, for the caller to release outside the locks.
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
