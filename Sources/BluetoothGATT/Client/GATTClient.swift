// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The client of one bearer. It runs each operation by its procedure, and reports notifications and
/// indications.
///
/// Up to `operationLimit` operations can be in progress. Their requests take turns, in the order in
/// which the operations began. Each operation ends in exactly one `.completed`, even if it is
/// canceled.
///
/// The owner of the client also owns the bearer, and passes it to each call. The owner takes PDUs
/// from the bearer when there is room for them, and passes the bearer's results to the client:
/// `receive(_:on:)`, `commandSent(_:on:)` and, when the bearer has closed, `end(_:_:)`.
package struct GATTClient: Sendable {
    /// The identifier of an operation. The caller chooses it and does not use it twice.
    package typealias OperationID = ATTBearer.RequestID

    /// The maximum number of operations in progress. Each has at most one request in the bearer, so
    /// the bearer's queue cannot overflow during a procedure.
    package static let operationLimit = ATTBearer.queueLimit

    /// An event to report.
    package enum Action: Equatable, Sendable {
        /// An operation has ended.
        case completed(OperationID, Result<GATT.Outcome, GATT.Failure>)
        /// The server sent a value. If it was an indication, its confirmation is already enqueued.
        case notified(AttributeHandle, value: ArraySlice<UInt8>, GATT.SubscriptionKind)
        /// The database has changed in this range of handles. The client's knowledge of the range
        /// is no longer valid (Vol 3, Part G, 7.1).
        case servicesChanged(ClosedRange<AttributeHandle>)
        /// The peer violated the protocol. If an operation has lost its response because of that,
        /// the end of the operation follows.
        case violated(ATTBearer.Violation)
    }

    struct Running {
        let id: OperationID
        var procedure: any GATT.Procedure
        /// The handle that the operation uses, or `nil` if it uses none.
        var handle: AttributeHandle?
        /// Whether the end of the operation was already reported.
        var isAbandoned = false
    }

    /// A procedure that waits for the server's queue of prepared writes.
    struct Waiting {
        let id: OperationID
        let procedure: any GATT.Procedure
        let handle: AttributeHandle?
    }

    enum MTUExchange: Equatable {
        case notStarted
        case running(OperationID)
        case finished
    }

    var database = KnownDatabase()
    var mtuExchange = MTUExchange.notStarted
    /// The procedures in progress, each with one request or command in the bearer. There are usually
    /// only a few, so a search is faster than a hash.
    var running: [Running] = []
    /// The procedure that uses the server's queue of prepared writes. `waiting` contains the
    /// procedures that wait for it.
    var preparingWrites: OperationID?
    var waiting: [Waiting] = []

    /// Creates the client of a new bearer.
    ///
    /// - Parameter exchangesMTU: Whether MTUs can be exchanged on the bearer; `false` for an
    ///   enhanced bearer, whose channel has negotiated the MTU (Vol 3, Part G, 5.3.1).
    package init(exchangesMTU: Bool = true) {
        if !exchangesMTU { mtuExchange = .finished }
    }

    /// The number of operations in progress, including those that wait.
    package var operationCount: Int { running.count + waiting.count }

    /// Returns whether another operation can start.
    package func hasRoom(on bearer: ATTBearer) -> Bool {
        bearer.hasRoom && operationCount < Self.operationLimit
    }

    /// Returns whether an operation is in progress and does not wait for its turn.
    package func isRunning(_ id: OperationID) -> Bool { index(of: id) != nil }

    /// Returns the index of an operation in `running`.
    func index(of id: OperationID) -> Int? { running.firstIndex { $0.id == id } }
}

// Requests of the caller.
extension GATTClient {
    /// Starts an operation. If its first PDU cannot be sent, the returned actions include the end
    /// of the operation.
    package mutating func start(
        _ operation: GATT.Operation,
        id: OperationID,
        on bearer: inout ATTBearer
    ) -> [Action] {
        precondition(!isRunning(id), "operation \(id) is in progress already")
        guard !bearer.isClosed else { return [.completed(id, .failure(.bearerClosed))] }
        guard hasRoom(on: bearer) else { return [.completed(id, .failure(.queueFull))] }
        if operation == .exchangeMTU {
            if let result = resultOfEarlierExchange(mtu: bearer.mtu) {
                return [.completed(id, result)]
            }
            mtuExchange = .running(id)
        }
        let procedure = procedure(for: operation, on: bearer)
        let handle = operation.namedHandle
        guard operation.preparesWrites else {
            return begin(procedure, naming: handle, id: id, on: &bearer)
        }
        waiting.append(Waiting(id: id, procedure: procedure, handle: handle))
        return beginNextPreparedWrite(on: &bearer)
    }

    /// Returns the result of an MTU exchange that is not the first one, or `nil` for the first one.
    private func resultOfEarlierExchange(mtu: Int) -> Result<GATT.Outcome, GATT.Failure>? {
        switch mtuExchange {
        case .notStarted: nil
        case .running: .failure(.invalidOperation("an MTU exchange is in progress"))
        case .finished: .success(.mtu(mtu))
        }
    }

    /// Cancels an operation. Does nothing if the operation has ended.
    ///
    /// The client cancels the prepared writes of the operation in the background. An MTU exchange
    /// continues to its end in the background.
    package mutating func cancel(_ id: OperationID, on bearer: inout ATTBearer) -> [Action] {
        stop(id, .cancelled, on: &bearer)
    }

    mutating func stop(
        _ id: OperationID,
        _ failure: GATT.Failure,
        on bearer: inout ATTBearer
    ) -> [Action] {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            return [.completed(id, .failure(failure))]
        }
        guard let index = index(of: id), !running[index].isAbandoned else { return [] }
        guard running[index].procedure.abandon() else {
            bearer.cancel(id)
            return end(id, .failure(failure), on: &bearer)
        }
        running[index].isAbandoned = true
        return [.completed(id, .failure(failure))]
    }

    /// Adopts a database that an earlier link discovered and that is still valid.
    package mutating func recall(_ table: GATT.Database) {
        database.learn(from: table)
    }

    /// Treats indications of this handle as Service Changed before anything is discovered, because
    /// a bonded server sends Service Changed as soon as it can (Vol 3, Part G, 7.1).
    package mutating func expectServiceChanged(at handle: AttributeHandle) {
        database.expectServiceChanged(at: handle)
    }
}
