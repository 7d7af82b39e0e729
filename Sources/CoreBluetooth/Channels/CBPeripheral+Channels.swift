// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

// Channels that the app opens to a peripheral.
extension CBPeripheral {
    func openChannel(_ psm: CBL2CAPPSM) {
        guard isConnectedForCommands() else { return }
        adapter?.execute { [peer, session] in $0.openChannel(psm, to: peer, for: session) }
    }

    func channelOpened(_ result: Result<OpenChannel, ClientError>) {
        switch result {
        case .success(let channel):
            delegate?.peripheral(self, didOpen: CBL2CAPChannel(channel, to: self), error: nil)
        case .failure(let error):
            delegate?.peripheral(self, didOpen: nil, error: error.delivered)
        }
    }
}

// Channel Sounding, which no adapter of this host supports.
extension CBPeripheral {
    func refuseChannelSounding() {
        guard isConnectedForCommands() else { return }
        adapter?.execute { [peer, session] in
            $0.post(.peripheral(peer, .channelSoundingRefused), to: session)
        }
    }

    func channelSoundingRefused() {
        let error = CBError(delivering: .operationNotSupported)
        delegate?.peripheral(self, didCompleteChannelSoundingSession: error)
    }
}
