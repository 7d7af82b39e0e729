// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import Synchronization

/// What a client waits for, and the application has to answer.
///
/// All copies of a request share one. When the last of them is gone and nobody has answered, nobody
/// ever will: the reader of the events has left with the request unread, or has dropped it. Then the
/// client is refused at once, rather than kept waiting until its time is over.
final class OpenQuestion: Sendable {
    private let host: BluetoothHost
    private let identifier: GATTServer.RequestID
    private let isAnswered = Atomic(false)

    init(_ identifier: GATTServer.RequestID, of host: BluetoothHost) {
        self.host = host
        self.identifier = identifier
    }

    deinit {
        answer(.failure(.unlikelyError))
    }

    /// Answers, the first time that it is called.
    func answer(_ result: Result<[UInt8], ATT.ErrorCode>) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        host.enter { [identifier] in $0.answer(identifier, result) }
    }
}
