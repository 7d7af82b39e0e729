// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Lanyard

/// One end of a pair that passes chunks within the process. The chunks are as long as those of a
/// link with an MTU of 247.
///
/// Unchecked: its mutable state is used only on the queue on which a channel calls it.
final class LoopTransport: MessageTransport, @unchecked Sendable {
    let queue: DispatchQueue
    let maximumChunk = 244
    private weak var peer: LoopTransport?
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?

    private init(on queue: DispatchQueue) {
        self.queue = queue
    }

    static func pair() -> (LoopTransport, LoopTransport) {
        let queue = DispatchQueue(label: "loop")
        let pair = (LoopTransport(on: queue), LoopTransport(on: queue))
        pair.0.peer = pair.1
        pair.1.peer = pair.0
        return pair
    }

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        self.receiver = receiver
        receiver(.linked)
    }

    func send(_ chunk: Data) -> Bool {
        queue.async { [peer] in peer?.receiver?(.received(chunk)) }
        return true
    }

    func stop() {
        receiver = nil
    }
}
