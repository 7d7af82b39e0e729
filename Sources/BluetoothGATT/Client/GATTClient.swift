// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The client of one link: carries out operations by their procedures, over the bearer that it
/// owns, and tells what the server sends unasked.
///
/// Any number of operations can be under way up to `operationLimit`; they take turns by request,
/// in the order in which they asked. Each ends in exactly one `.completed`, however it ends.
///
/// After each call that may have given it something to send, its owner calls `nextPDU(now:)` for
/// as long as the link has room, and again when room comes back: nothing leaves of itself. At
/// `nextDeadline` it calls `deadlinePassed(now:)`.
package struct GATTClient: Sendable {
    /// Names an operation to its caller, who chooses it and does not use it twice.
    package typealias OperationID = ATTBearer.RequestID

    /// How many operations can be under way. Each has one request in the bearer at most, so the
    /// bearer's own queue never overflows in the middle of a procedure.
    package static let operationLimit = ATTBearer.queueLimit

    /// What is to be done, or to be told.
    package enum Action: Equatable, Sendable {
        /// An operation has ended.
        case completed(OperationID, Result<GATT.Outcome, GATT.Failure>)
        /// The server has sent a value; if by indication, its confirmation waits to leave.
        case notified(AttributeHandle, value: ArraySlice<UInt8>, GATT.SubscriptionKind)
        /// The table has changed between these handles: what is known of them holds no longer
        /// (Vol 3, Part G, 7.1).
        case servicesChanged(first: AttributeHandle, last: AttributeHandle)
        /// The peer's client asks our server something; `respond` answers it.
        case request(ATT.PDU)
        /// The peer's client commands our server; nobody answers.
        case command(ATT.PDU)
        /// The peer has confirmed an indication of our server.
        case confirmed(OperationID)
        /// A notification of our server has left.
        case left(OperationID)
        /// The peer did something against the protocol: worth a line in a log. If it has cost an
        /// operation its answer, the end of that operation follows.
        case violated(ATTBearer.Violation)
        /// The link is of no more use and is to be disconnected.
        case closeLink(CloseReason)
    }

    /// Why a link is of no more use.
    package enum CloseReason: Equatable, Sendable {
        /// A request was not answered, or an indication not confirmed, within thirty seconds
        /// (Vol 3, Part F, 3.3.3).
        case transactionTimedOut
    }

    /// A procedure under way.
    struct Running {
        var procedure: any Procedure
        /// The attribute that its caller has named, if it has.
        var handle: AttributeHandle?
        /// Its caller has been told already that it ended.
        var isAbandoned = false
    }

    /// A procedure that waits for the server's queue of prepared writes.
    struct Waiting {
        let id: OperationID
        let procedure: any Procedure
        let handle: AttributeHandle?
    }

    enum MTUExchange: Equatable {
        case notStarted
        case running(OperationID)
        case finished
    }

    var bearer: ATTBearer
    var database = KnownDatabase()
    var mtuExchange = MTUExchange.notStarted
    /// The procedures under way. Each has one request or command in the bearer.
    var running: [OperationID: Running] = [:]
    /// The one that fills the server's queue of prepared writes, and those that wait for it.
    var preparingWrites: OperationID?
    var waiting: [Waiting] = []

    /// Makes the client of a new link. `receiveMTULimit` is what it offers when MTUs are
    /// exchanged: 23 to 65,535 octets.
    package init(receiveMTULimit: Int = 517) {
        bearer = ATTBearer(receiveMTULimit: receiveMTULimit)
    }

    /// Makes the client of an enhanced bearer, whose channel has settled the MTU: 64 octets at
    /// least (Vol 3, Part G, 5.3.1).
    package init(enhancedMTU mtu: Int) {
        bearer = ATTBearer(enhancedMTU: mtu)
        mtuExchange = .finished
    }

    /// How many operations are under way, those that wait for their turn included.
    package var operationCount: Int { running.count + waiting.count }

    /// The longest PDU that either side may send, in octets: 23 until MTUs are exchanged.
    package var mtu: Int { bearer.mtu }

    /// Whether the link has ended, or can carry no more requests.
    package var isClosed: Bool { bearer.isClosed }

    /// Whether another operation would be taken.
    package var hasRoom: Bool {
        bearer.hasRoom && running.count + waiting.count < Self.operationLimit
    }
}

// What the caller asks for.
extension GATTClient {
    /// Starts an operation. If it cannot even be sent, it has ended when this returns.
    package mutating func start(
        _ operation: GATT.Operation,
        id: OperationID
    ) -> [Action] {
        precondition(running[id] == nil, "operation \(id) is under way already")
        guard !bearer.isClosed else { return [.completed(id, .failure(.bearerClosed))] }
        guard hasRoom else { return [.completed(id, .failure(.queueFull))] }
        if operation == .exchangeMTU {
            if let result = resultOfEarlierExchange { return [.completed(id, result)] }
            mtuExchange = .running(id)
        }
        let procedure = procedure(for: operation)
        let handle = operation.namedHandle
        guard operation.preparesWrites else { return begin(procedure, naming: handle, id: id) }
        waiting.append(Waiting(id: id, procedure: procedure, handle: handle))
        return beginNextPreparedWrite()
    }

    /// How an exchange of MTUs ends that is not the first one.
    private var resultOfEarlierExchange: Result<GATT.Outcome, GATT.Failure>? {
        switch mtuExchange {
        case .notStarted: nil
        case .running: .failure(.invalidOperation("an exchange of MTUs is under way"))
        case .finished: .success(.mtu(mtu))
        }
    }

    /// Ends an operation that nobody waits for any more. If it has prepared writes at the server,
    /// they are taken back in the background. Does nothing if the operation has ended.
    package mutating func cancel(_ id: OperationID) -> [Action] { stop(id, .cancelled) }

    mutating func stop(_ id: OperationID, _ failure: GATT.Failure) -> [Action] {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            return [.completed(id, .failure(failure))]
        }
        guard let entry = running[id], !entry.isAbandoned else { return [] }
        guard running[id]?.procedure.abandon() == true else {
            bearer.cancel(id)
            return end(id, .failure(failure))
        }
        running[id]?.isAbandoned = true
        return [.completed(id, .failure(failure))]
    }

    /// Takes over a table that was discovered on an earlier link and still holds.
    package mutating func recall(_ table: GATT.Database) {
        database.learn(from: table)
    }

    /// Lets an indication of this handle count as Service Changed before anything is discovered: a
    /// bonded server sends it as soon as it can (Vol 3, Part G, 7.1).
    package mutating func expectServiceChanged(at handle: AttributeHandle) {
        database.expectServiceChanged(at: handle)
    }

    /// Ends all operations, since the link has ended.
    package mutating func close(_ failure: GATT.Failure = .bearerClosed) -> [Action] {
        endAll(bearer.close(), failure)
    }
}
