// SPDX-License-Identifier: Apache-2.0

/// The connected clients of a server, in ascending order of their identifiers.
///
/// A server has only a few clients, so a search is faster than a hash. A property of a client in
/// `records` is read without a copy of the client, which a dictionary would make.
struct ClientTable: Sendable {
    private(set) var identifiers: [GATTServer.ClientID] = []
    /// The clients, at the same indices as their identifiers.
    private(set) var records: [GATTServer.Client] = []

    var isEmpty: Bool { identifiers.isEmpty }

    /// Returns the index of a client in `records`.
    func index(of client: GATTServer.ClientID) -> Int? {
        identifiers.firstIndex(of: client)
    }

    /// The client with this identifier. Setting `nil` removes it.
    subscript(client: GATTServer.ClientID) -> GATTServer.Client? {
        get { index(of: client).map { records[$0] } }
        _modify {
            let index = identifiers.firstIndex(from: { $0.rawValue >= client.rawValue })
            // The record leaves the table, so that its own collections are changed in place.
            var record: GATTServer.Client?
            if index < identifiers.count, identifiers[index] == client {
                identifiers.remove(at: index)
                record = records.remove(at: index)
            }
            defer {
                if let record {
                    identifiers.insert(client, at: index)
                    records.insert(record, at: index)
                }
            }
            yield &record
        }
    }
}
