// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

// Channels that centrals open to the app.
extension CBPeripheralManager {
    func publishChannel(isEncrypted: Bool) {
        guard isReadyForCommands() else { return }
        adapter?.execute { [session] in $0.publishChannel(isEncrypted: isEncrypted, for: session) }
    }

    func unpublishChannel(_ psm: CBL2CAPPSM) {
        guard isReadyForCommands() else { return }
        adapter?.execute { [session] in $0.unpublishChannel(psm, for: session) }
    }

    func channelOpened(_ channel: OpenChannel, by served: ServedCentral) {
        let central = snapshot.change { $0.central(served) }
        let channel = CBL2CAPChannel(channel, to: central)
        delegate?.peripheralManager(self, didOpen: channel, error: nil)
    }
}
