// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation

// Events of the adapter, on the manager's queue.
extension CBCentralManager {
    func receive(_ event: CentralEvent) {
        switch event {
        case .stateChanged(let state): stateChanged(to: CBManagerState(state))
        case .restored(let restored): self.restored(restored)
        case .discovered(let peer, let name, let match): discovered(peer, name, match)
        case .connected(let peer, let request):
            guard let peripheral = knownPeripheral(peer), peripheral.connected(request) else {
                return
            }
            delegate?.centralManager(self, didConnect: peripheral)
        case .failedToConnect(let peer, let request, let error):
            guard let peripheral = knownPeripheral(peer) else { return }
            peripheral.disconnected(request)
            delegate?.centralManager(self, didFailToConnect: peripheral, error: error.delivered)
        case .disconnected(let peer, let end):
            guard let peripheral = knownPeripheral(peer) else { return }
            connectionEnded(peripheral, end)
        case .connectionEvent(let isConnected, let peer):
            delegate?.centralManager(
                self,
                connectionEventDidOccur: isConnected ? .peerConnected : .peerDisconnected,
                for: peripheral(for: peer)
            )
        case .peripheral(let peer, .nameChanged(let name)): renamed(peer, name)
        case .peripheral(let peer, let event): knownPeripheral(peer)?.receive(event)
        }
    }

    private func discovered(_ peer: PeerIdentifier, _ name: String?, _ match: ScanMatch) {
        guard isScanning else { return }
        let peripheral = peripheral(for: peer, name: name)
        peripheral.received(name)
        delegate?.centralManager(
            self,
            didDiscover: peripheral,
            advertisementData: AdvertisementDictionary.make(match),
            rssi: NSNumber(value: match.advertisement.rssi ?? SignalStrength.unknown)
        )
    }

    private func renamed(_ peer: PeerIdentifier, _ name: String?) {
        guard let peripheral = knownPeripheral(peer), peripheral.name != name else { return }
        peripheral.received(name)
        peripheral.delegate?.peripheralDidUpdateName(peripheral)
    }

    private func connectionEnded(_ peripheral: CBPeripheral, _ end: ConnectionEnd) {
        let reconnects =
            end.isReconnecting && peripheral.snapshot.read(\.remote.request) == end.request
        if reconnects {
            // Peripherals reconnect if the delegate uses the default implementation of the older
            // method, which sets `Disconnection.wasForwarded` and the state `connecting`. They also
            // reconnect without a delegate.
            peripheral.lost(isReconnecting: delegate == nil)
        } else {
            peripheral.disconnected(end.request)
        }
        guard reportDisconnection(of: peripheral, end, reconnects: reconnects), reconnects else {
            return
        }
        peripheral.disconnected(end.request)
        adapter?.execute { [session, peer = peripheral.peer] in
            $0.release(peer, for: session, end.request)
        }
    }

    /// Reports a disconnection to the delegate. Returns whether the delegate has the older of the
    /// two methods.
    private func reportDisconnection(
        of peripheral: CBPeripheral,
        _ end: ConnectionEnd,
        reconnects: Bool
    ) -> Bool {
        guard let delegate else { return false }
        peripheral.disconnection.change {
            $0 = Disconnection(timestamp: end.timestamp, isReconnecting: reconnects)
        }
        delegate.centralManager(
            self,
            didDisconnectPeripheral: peripheral,
            error: end.error?.delivered
        )
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
            guard !snapshot.read(\.isRestoring) else { return [] }
            return powerLost(isReset: state.rawValue < CBManagerState.poweredOff.rawValue)
        }
        withExtendedLifetime(lost) {
            observers.report()
            for peripheral in lost { peripheral.observers.report() }
            delegate?.centralManagerDidUpdateState(self)
        }
    }

    /// Ends the scan and all connections.
    ///
    /// - Parameter isReset: Whether the state is below `poweredOff`, which also invalidates the
    ///   peripherals that were discovered.
    /// - Returns: The peripherals, for the caller to release outside the locks.
    private func powerLost(isReset: Bool) -> [CBPeripheral] {
        let peripherals = snapshot.change { snapshot in
            snapshot.isScanning = false
            defer { if isReset { snapshot.peripherals = [:] } }
            return snapshot.peripherals.values.compactMap(\.object)
        }
        for peripheral in peripherals { peripheral.powerLost() }
        return peripherals
    }
}
