// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Requests for attributes that a change of the peripheral's database invalidated.
extension ClientCore {
    /// Fails the requests for attributes in these ranges. Those that wait are not sent: another
    /// attribute may have the handle now.
    mutating func failRequests(in ranges: [ClosedRange<AttributeHandle>]) -> [Action] {
        var stale = takeWaiting { $0.request.isAbout(ranges) }
        if let job = active, !job.isStale, job.request.isAbout(ranges) {
            active?.isStale = true
            stale.insert(job, at: 0)
        }
        return stale.flatMap { refuse($0.request, for: $0.session, ClientSearch.staleness) }
    }

    /// Handles the result of a request that has already failed because the database changed.
    mutating func drop(_ result: Result<PortAnswer, any Error>) -> [Action] {
        active = nil
        guard case .success(.database(let table)) = result else { return [] }
        isTableUnreadable = false
        return note(table.services.map(\.service))
    }
}

extension ClientRequest {
    /// Returns whether the request is about an attribute in these ranges.
    fileprivate func isAbout(_ ranges: [ClosedRange<AttributeHandle>]) -> Bool {
        guard let handle else { return false }
        return ranges.contains { $0.contains(handle) }
    }

    /// The handle of the attribute that the request is about; `nil` if it is about the database.
    private var handle: AttributeHandle? {
        switch self {
        case .find(let search): search.handle
        case .read(let characteristic), .write(let characteristic, _),
            .command(let characteristic, _, _), .setNotifying(_, let characteristic),
            .renotify(let characteristic), .unsubscribe(let characteristic):
            characteristic.valueHandle
        case .readDescriptor(let descriptor), .writeDescriptor(let descriptor, _):
            descriptor.handle
        case .refresh: nil
        }
    }
}

extension ClientSearch {
    fileprivate var handle: AttributeHandle? {
        switch self {
        case .services: nil
        case .includedServices(_, let service), .characteristics(_, let service): service.handle
        case .descriptors(let characteristic): characteristic.valueHandle
        }
    }
}

extension ClosedRange {
    /// Returns whether the range overlaps at least one of the others.
    package func overlaps(anyOf others: [Self]) -> Bool { others.contains { overlaps($0) } }
}
