// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

extension CBError {
    /// What an application is told of a failure of a link (docs/COREBLUETOOTH.md has the table).
    init(_ error: HostError) {
        let code: CBError.Code =
            switch error {
            case .disconnected(.connectionTimeout): .connectionTimeout
            case .disconnected(.remoteUserTerminatedConnection): .peripheralDisconnected
            case .failedToConnect: .connectionFailed
            case .bondLost: .peerRemovedPairingInformation
            default: .unknown
            }
        self.init(code)
    }
}
