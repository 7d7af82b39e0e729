// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import HCITransports

/// The pending answer to a client's request.
///
/// All copies of a request share one object. When the last copy is deallocated without an answer,
/// for example because the reader of the events has ended, the request is refused at once. The
/// client would otherwise wait until its timeout.
final class OpenQuestion: Sendable {
    private let host: BluetoothHost
    private let identifier: GATTServer.RequestID
    private let isAnswered = Lock(false)

    init(_ identifier: GATTServer.RequestID, of host: BluetoothHost) {
        self.host = host
        self.identifier = identifier
    }

    deinit {
        answer(.failure(.unlikelyError))
    }

    /// Answers the request on the first call. Later calls do nothing.
    func answer(_ result: Result<[UInt8], ATT.ErrorCode>, at handle: AttributeHandle? = nil) {
        let isFirst = isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
        guard isFirst else { return }
        host.execute { [identifier] in $0.answer(identifier, result, at: handle) }
    }
}
