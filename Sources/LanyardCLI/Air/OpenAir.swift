// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters

/// The air of a virtual adapter, open to other hosts for as long as a command runs.
struct OpenAir: Sendable {
    private let server: AirServer

    /// Lets hosts in at these addresses, and remarks where that is. Throws `ProgramFailure`.
    init(
        _ access: AdapterAccess,
        at addresses: [AdapterSpecification],
        _ console: Console
    ) async throws {
        guard let air = access.air else {
            throw ProgramFailure.usage(
                "only a virtual adapter has an air that others can join",
                advice: "leave --listen out, or give --adapter virtual"
            )
        }
        server = AirServer(air) { _ in }
        for address in addresses {
            do {
                let actual = try await server.listen(at: address)
                console.remark("lanyard: others join this air with --adapter \(actual)\n")
            } catch {
                await server.stop()
                throw ProgramFailure(.adapterUnavailable, TerminalText.escape("\(error)"))
            }
        }
    }

    /// Lets nobody in any more.
    func close() async {
        await server.stop()
    }
}

extension AdapterSpecification {
    /// Reads where a program is to listen; throws `ProgramFailure`.
    static func listening(_ text: String) throws -> AdapterSpecification {
        do {
            return try AdapterSpecification(listening: text)
        } catch {
            throw ProgramFailure.usage(TerminalText.escape("\(error)"))
        }
    }
}
