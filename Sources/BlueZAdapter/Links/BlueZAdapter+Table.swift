// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Databases of peers. The daemon itself discovers them and presents them as objects.
extension BlueZAdapter {
    /// The time that the daemon may take to discover the services, from the first request for the
    /// database on.
    static let tableTimeout = Duration.seconds(30)

    /// Answers a request for the database as soon as the daemon has it.
    func findTable(_ id: UInt64, on link: LinkIdentifier) {
        if let table = links[link]?.table {
            return finish(id, on: link, .success(.database(table.database)))
        }
        links[link]?.tableRequests.append(id)
        if links[link]?.tableTimer == nil {
            let timer = thread.makeTimer { [weak self] in
                self?.onThread { $0.endTableRequests(of: link, .failure(PortError.timedOut)) }
            }
            timer.set(to: thread.now + Self.tableTimeout)
            links[link]?.tableTimer = timer
        }
        composeTable(of: link)
    }

    func servicesResolved(_ path: DBusObjectPath) {
        if let link = link(at: path) { composeTable(of: link) }
    }

    /// Composes the database if a request waits for it and the daemon reports that it is complete.
    private func composeTable(of link: LinkIdentifier) {
        guard let state = links[link], !state.tableRequests.isEmpty,
            device(at: state.path)?.hasResolvedServices == true
        else { return }
        let table = DaemonTable(of: state.path, in: objects)
        guard let table, !table.database.services.isEmpty || state.hasReloaded else {
            return reload(for: link)
        }
        links[link]?.table = table
        noteMTU(in: table, of: link)
        endTableRequests(of: link, .success(.database(table.database)))
    }

    /// Reads the daemon's objects again, once. The daemon reported that it has discovered the
    /// services, but listed none, or no valid database.
    private func reload(for link: LinkIdentifier) {
        guard links[link]?.hasReloaded == false else {
            let error = PortError.other("the daemon's objects are not a valid database")
            return endTableRequests(of: link, .failure(error))
        }
        links[link]?.hasReloaded = true
        loadObjects { adapter, _ in adapter.composeTable(of: link) }
    }

    private func endTableRequests(
        of link: LinkIdentifier,
        _ result: Result<PortAnswer, any Error>
    ) {
        links[link]?.tableTimer?.set(to: nil)
        links[link]?.tableTimer = nil
        let requests = links[link]?.tableRequests ?? []
        links[link]?.tableRequests = []
        for request in requests { finish(request, on: link, result) }
    }

    /// Reports the MTU that the objects of a database contain.
    private func noteMTU(in table: DaemonTable, of link: LinkIdentifier) {
        for case .value(let path) in table.attributes.values {
            let properties = objects.properties(path, BlueZ.Interface.gattCharacteristic)
            if let mtu = properties?["MTU"]?.integer { return noteMTU(mtu, of: link) }
        }
    }

    // MARK: Changes

    /// Handles an attribute that the daemon added or removed. All changes of one turn of the
    /// executor are reported as one.
    func attributesChanged(at path: DBusObjectPath) {
        guard let link = links.first(where: { path.isBelow($0.value.path) })?.key else { return }
        guard links[link]?.table != nil, links[link]?.isChangeAwaited == false else {
            return composeTable(of: link)
        }
        links[link]?.isChangeAwaited = true
        thread.performAtTurnEnd { [weak self] in self?.onThread { $0.tableChanged(of: link) } }
    }

    private func tableChanged(of link: LinkIdentifier) {
        guard let state = links[link], let old = state.table else { return }
        links[link]?.isChangeAwaited = false
        let new = DaemonTable(of: state.path, in: objects)
        let kept = Set(new?.database.services ?? [])
        let gone = old.database.services.filter { !kept.contains($0) }.map(\.service.handles)
        links[link]?.table = nil
        links[link]?.hasReloaded = false
        // The daemon removes the objects of a service that has changed, and their sockets end.
        forgetSubscriptions(of: link)
        if !gone.isEmpty { report(.servicesChanged(link, gone, isReported: true)) }
        report(.databaseOutdated(link))
    }
}
