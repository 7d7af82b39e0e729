// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// A Bumble host that has scanned, and may have connected; see Peers/observer.py.
struct Observer: Sendable {
    /// One advertising report of the observer's controller.
    struct Report: Equatable, Sendable {
        let address: String
        let isLegacy: Bool
        let isConnectable: Bool
        let isScannable: Bool
        let isDirected: Bool
        let isScanResponse: Bool
        let data: [UInt8]
        let setIdentifier: Int?

        init(_ facts: JSON) {
            address = facts["address"].text ?? ""
            isLegacy = facts["isLegacy"] == .boolean(true)
            isConnectable = facts["isConnectable"] == .boolean(true)
            isScannable = facts["isScannable"] == .boolean(true)
            isDirected = facts["isDirected"] == .boolean(true)
            isScanResponse = facts["isScanResponse"] == .boolean(true)
            data = facts["data"].text.flatMap { [UInt8](hexadecimal: $0) } ?? []
            setIdentifier = facts["sid"].integer
        }
    }

    let process: ChildProcess
    let reports: [Report]
    /// The observer's role on the link that it made, or `nil` if it made none.
    let role: String?

    var advertisements: [Report] { reports.filter { !$0.isScanResponse } }

    var responses: [Report] { reports.filter(\.isScanResponse) }
}

extension PeerGroup {
    /// Makes a Bumble host scan until it has received this many different reports, and then connect
    /// if requested.
    func observer(
        on adapter: String,
        until count: Int,
        of address: DeviceAddress? = nil,
        connects: Bool = false
    ) async throws -> Observer {
        var options = ["--adapter", adapter, "--until", "\(count)"]
        if let address { options += ["--of", address.description] }
        if connects { options.append("--connect") }
        let script = PeerInstallation.scripts + "observer.py"
        let peer = try await start(PeerInstallation.python, [script] + options)
        return Observer(
            process: peer.process,
            reports: peer.facts["reports"].elements.map(Observer.Report.init),
            role: peer.facts["role"].text
        )
    }
}
