// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The name of a computer, or its address as text.
struct HostName: Sendable {
    typealias Outcome = Result<[SocketAddress], TransportError>

    private let text: String
    private let askSystem: @Sendable (_ text: String, _ port: UInt16) -> Outcome

    /// Creates a name. `askSystem` looks it up and may block.
    init(
        _ text: String,
        askSystem: @escaping @Sendable (_ text: String, _ port: UInt16) -> Outcome = {
            lookUp($0, port: $1, flags: AI_ADDRCONFIG)
        }
    ) {
        self.text = text
        self.askSystem = askSystem
    }

    /// The addresses of the local computer, for which no lookup is necessary.
    private static let loopback = ["127.0.0.1", "::1"]

    /// Returns the addresses of a TCP port of the computer, at least one.
    ///
    /// The system's lookup waits for the network and cannot be canceled, so it runs on its own
    /// thread, which ends with the lookup. If the task is canceled, the method throws without
    /// waiting for the thread.
    func addresses(port: UInt16) async throws(TransportError) -> [SocketAddress] {
        if let known = numericAddresses(port: port) { return known }
        let answer = FirstAnswer<Outcome>()
        let thread = SystemThread { [text, askSystem] in answer.give(askSystem(text, port)) }
        if let thread {
            thread.detach()
        } else {
            answer.give(
                .failure(.hostNotFound(host: text, reason: "the system cannot start a thread"))
            )
        }
        let outcome = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.give(.failure(.cancelled))
        }
        return try outcome.get()
    }

    private func numericAddresses(port: UInt16) -> [SocketAddress]? {
        let texts = text == "localhost" ? Self.loopback : [text]
        let found = texts.flatMap { text in
            (try? Self.lookUp(text, port: port, flags: AI_NUMERICHOST).get()) ?? []
        }
        return found.isEmpty ? nil : found
    }

    private static func lookUp(
        _ text: String,
        port: UInt16,
        flags: Int32
    ) -> Outcome {
        var hints = addrinfo()
        hints.ai_flags = flags | AI_NUMERICSERV
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(text, String(port), &hints, &first)
        guard result == 0, let first else {
            return .failure(
                .hostNotFound(host: text, reason: String(cString: gai_strerror(result)))
            )
        }
        defer { freeaddrinfo(first) }
        let addresses = sequence(first: first, next: { $0.pointee.ai_next }).compactMap { entry in
            entry.pointee.ai_addr.flatMap {
                SocketAddress(copying: $0, length: entry.pointee.ai_addrlen)
            }
        }
        return .success(addresses)
    }
}
