// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

extension ChannelEnd {
    /// The error of the output stream. Each reason is an error for it, because written bytes are no
    /// longer sent.
    var code: ClientError.Code {
        switch self {
        case .closedByPeer: .peripheralDisconnected
        case .closedHere: .notConnected
        case .failed(let error): ClientError.code(of: error)
        }
    }
}
