/**
 * The JSON that the server sends and takes, made from its Python classes by `make types`: do not
 * edit. Read by the type checker only; no page loads this file.
 *
 * @typedef {{id: string, workspace_id: string, name: string, description: string, system_prompt: string, preferred_provider_id: string | null, preferred_model_id: string | null, temperature: number | null, web_search_enabled: boolean, thinking: string, is_built_in: boolean, created_at: string, updated_at: string}} Agent
 * @typedef {{name?: string | null, description?: string | null, system_prompt?: string | null, web_search_enabled?: boolean | null, thinking?: 'off' | 'on' | 'low' | 'medium' | 'high' | '' | null, preferred_provider_id?: string | null, preferred_model_id?: string | null, temperature?: number | null}} AgentChange
 * @typedef {{text: string, markers: Marker[], sources: Source[], removed: Removed[], folded: Folded[], suggestions: string}} Answer
 * @typedef {{message_id: string, runs: ToolRun[]}} ApprovalRequestedEvent
 * @typedef {{type: 'image' | 'file', mime_type: string, base64_data: string, file_name?: string}} AttachedFile
 * @typedef {{type: string, mime_type: string, file_name: string, id: string}} Attachment
 * @typedef {{id: string, at: string, actor: string, action: string, subject: string, workspace_id: string | null, before: any, after: any}} Audit
 * @typedef {{budget: string, message: string}} BudgetEvent
 * @typedef {{pages: 'off' | 'opened' | 'all', max_pages: number, seconds: number, judge: string, judge_model: string, judge_claims: number}} CheckSettings
 * @typedef {{state: '' | 'pending' | 'again' | 'done', pending: number, checks: CitationCheck[], summary: string}} Checks
 * @typedef {{pages?: 'off' | 'opened' | 'all' | null, max_pages?: number | null, seconds?: number | null, judge?: string | null, judge_model?: string | null, judge_claims?: number | null}} ChecksChange
 * @typedef {{url: string, title: string, domain: string, quote: string, start: number | null, end: number | null, evidence: 'cited' | 'read' | 'found' | 'removed'}} Citation
 * @typedef {{number: number, position: number, claim: string, url: string, state: 'found' | 'plain' | 'absent' | 'not_compared', label: string, facts: string[], quote: Match | null, quotations: Quotation[], missing_numbers: string[], rounded_numbers: RoundedNumber[], numbers_elsewhere: string[], missing_names: string[], coverage: number, score: number, nearest: Passage | null, quote_is_named: boolean, is_cut: boolean, not_compared: 'unreadable' | 'blocked' | 'too_short' | 'too_long' | 'language' | 'nothing_claimed' | 'not_opened' | 'policy' | 'robots' | 'limit' | 'timeout' | 'no_source' | null, checked_at: string | null, page_hash: string, title: string, authors: string[], published: string, modified: string, site_name: string, licence: string, opinion: Opinion | null, opinion_pending: boolean, no_opinion: string, source_url: string | null, live_url: string | null}} CitationCheck
 * @typedef {{message_id: string, citation: CitationCheck}} CitationCheckedEvent
 * @typedef {{text: string, language: string}} CodeText
 * @typedef {{session: Session, workspace_id: string, messages: Message[], checks: Record<string, Checks>, feedback: Record<string, Feedback>, leaf_id: string | null}} Conversation
 * @typedef {{id: string, workspace_id: string, name: string, role: string, created_at: string, last_used_at: string | null, expires_at: string, token: string}} CreatedToken
 * @typedef {{message_id: string, decisions?: Record<string, boolean>}} Decisions
 * @typedef {{message: Message, checks: Checks}} DoneEvent
 * @typedef {{message: string, code: string, retry_after_seconds: number | null}} ErrorEvent
 * @typedef {{format: string, title: string, of: ('answer' | 'chat')[]}} ExportFormat
 * @typedef {{code: string, message: string, fields: FaultField[]}} Fault
 * @typedef {{field: string, value: string, reason: string}} FaultField
 * @typedef {{rating: '' | 'up' | 'down', note: string}} Feedback
 * @typedef {{start: number, end: number, domains: string[]}} Folded
 * @typedef {{start: number, end: number, domains: string[], reason: string}} FoldedEvent
 * @typedef {{questions: string[]}} FollowUps
 * @typedef {{text: string, is_display?: boolean}} FormulaText
 * @typedef {{status: string, version: string, database: string, shared: string}} Health
 * @typedef {{next: string}} Lead
 * @typedef {{documents: number, passages: number, size: number, sources: LibrarySource[], others: LibraryCollection[], embedded: number | null, formats: string[], max_file_bytes: number, folders: string[]}} Library
 * @typedef {{name: string, documents: number}} LibraryCollection
 * @typedef {{id: number, url: string, title: string, collection: string, path: string, characters: number, date: string | null}} LibraryDocument
 * @typedef {{name: string, reason: string}} LibraryFailure
 * @typedef {{hits: LibraryHit[], note: string}} LibraryFound
 * @typedef {{url: string, title: string, headings: string[], snippet: string}} LibraryHit
 * @typedef {{id: string, kind: string, location: string, address: string, refresh_hours: number, state: string, done: number, total: number, counts: Record<string, number>, failures: LibraryFailure[], error: string, finished_at: string | null, due_at: string | null}} LibrarySource
 * @typedef {{refresh_hours: number}} LibrarySourceChange
 * @typedef {{name: string, password: string}} LoginBody
 * @typedef {{position: number, check_position: number, label: string, numbers: number[], unknown: string[], struck: string[], supports: Support[]}} Marker
 * @typedef {{position: number, numbers: number[], unknown: string[], struck: string[], before: string, after: string, supports: Support[]}} MarkerEvent
 * @typedef {{found: 'letter' | 'words' | 'close' | 'none', start: number | null, end: number | null, places: number, differing: string[]}} Match
 * @typedef {{user: User | null, needs_login: boolean, needs_setup: boolean, workspaces: Membership[], version: string, starters: Starter[], exports: ExportFormat[], sso: string, is_connected: boolean, has_password: boolean, has_quotas: boolean, has_icons: boolean}} Me
 * @typedef {{user_id: string, name: string, role: string}} Member
 * @typedef {{id: string, name: string, role: string}} Membership
 * @typedef {{id: string, session_id: string, kind: 'USER' | 'AI_RESPONSE', content: string, parent_id: string | null, client_id: string | null, status: 'complete' | 'streaming' | 'awaiting_approval' | 'interrupted' | 'cancelled' | 'failed', attachments: Attachment[], thinking: string, citations: Citation[] | null, answer: Answer | null, tool_runs: ToolRun[], provider: string, model: string, mode: 'hosted' | 'client' | 'off', reason: string, usage: Usage | null, cost_usd: number | null, cost_is_partial: boolean, cost_text: string, pages_read: number, stop_reason: string, error_code: string, error: string, checks_state: string, created_at: string, updated_at: string}} Message
 * @typedef {{model: string, title: string, shutdown_date: string, searches_itself: boolean, thinking: string[], takes_temperature: boolean, search_price_usd: number | null, input_price_usd: number | null, output_price_usd: number | null}} Model
 * @typedef {{models: Model[]}} Models
 * @typedef {{name: string, description?: string, system_prompt?: string, preferred_provider_id?: string | null, preferred_model_id?: string | null, temperature?: number | null, web_search_enabled?: boolean, thinking?: 'off' | 'on' | 'low' | 'medium' | 'high' | '', workspace_id?: string | null}} NewAgent
 * @typedef {{rating?: '' | 'up' | 'down', note?: string}} NewFeedback
 * @typedef {{key: string}} NewKey
 * @typedef {{kind: 'folder' | 'url', location: string, refresh_hours?: number}} NewLibrarySource
 * @typedef {{text?: string, session_id?: string | null, parent_id?: string | null, client_id?: string | null, search?: 'auto' | 'hosted' | 'client' | 'off', domains?: string[], attachments?: AttachedFile[], provider_id?: string | null, model?: string | null, thinking?: 'off' | 'on' | 'low' | 'medium' | 'high' | null, retry_of?: string | null}} NewMessage
 * @typedef {{name: string, type: string, base_url?: string, default_model?: string}} NewProvider
 * @typedef {{role: 'admin' | 'member'}} NewRole
 * @typedef {{agent_id?: string | null, title?: string, workspace_id?: string | null}} NewSession
 * @typedef {{name: string, role?: 'admin' | 'member', workspace_id?: string | null, expires_in_days?: number | null}} NewToken
 * @typedef {{name: string, password: string}} NewUser
 * @typedef {{name: string}} NewWorkspace
 * @typedef {{model: string, says: 'supported' | 'partly' | 'not_stated' | 'contradicted', words: string, cost_usd: number | null, label: string}} Opinion
 * @typedef {{start: number, end: number, exact: string, prefix: string, suffix: string, heading: string, page_number: number | null, label: string}} Passage
 * @typedef {{old_password: string, new_password: string}} PasswordChange
 * @typedef {{urls: string[], where: string, reason: string, domains: string[]}} PolicyEvent
 * @typedef {{id: string, name: string, type: string, base_url: string | null, default_model: string, is_default: boolean, is_simulated: boolean, has_key: boolean, key_place: string}} Provider
 * @typedef {{name?: string | null, base_url?: string | null, default_model?: string | null, is_default?: true | null}} ProviderChange
 * @typedef {{type: string, title: string, description: string, base_url: string, key_variable: string | null, needs_key: boolean, key_url: string, abilities: string[], default_model: string}} ProviderType
 * @typedef {{answers: number | null, tokens: number | null, cost_usd: number | null, searches: number | null}} Quota
 * @typedef {{answers?: number | null, tokens?: number | null, cost_usd?: number | null, searches?: number | null}} QuotaBody
 * @typedef {{resets_at: string, quotas: Standing[]}} Quotas
 * @typedef {{found: 'letter' | 'words' | 'close' | 'none', start: number | null, end: number | null, places: number, differing: string[], text: string}} Quotation
 * @typedef {{url: string, title: string, domain: string}} Removed
 * @typedef {{claimed: string, page: number}} RoundedNumber
 * @typedef {{url: string, title: string, snippet: string, published: string}} SearchResult
 * @typedef {{html: string}} SearchSuggestionsEvent
 * @typedef {{domains?: string[]}} SearchTrial
 * @typedef {{name: string, title: string, abilities: string[], needs_key: boolean, has_key: boolean, key_variable: string | null}} Service
 * @typedef {{id: string, title: string, agent_id: string, created_at: string, updated_at: string, is_running: boolean}} Session
 * @typedef {{title: string}} SessionChange
 * @typedef {{sessions: Session[], next: string | null}} Sessions
 * @typedef {{token: string, name: string, password: string}} SetupBody
 * @typedef {{number: number, url: string, title: string, domain: string, evidence: 'cited' | 'read' | 'found' | 'removed', quotes: string[], spans: [number, number][], is_marked: boolean}} Source
 * @typedef {{source: Source}} SourceEvent
 * @typedef {{number: number, url: string, title: string, read_at: string, page_hash: string, text: string, checks: CitationCheck[]}} SourcePage
 * @typedef {{whose: string, quota: string, limit: number, used: number, left: number, is_near: boolean, words: string}} Standing
 * @typedef {{text: string, agent: string}} Starter
 * @typedef {{number: number, start: number, end: number, quote: string}} Support
 * @typedef {{success: boolean, message: string, code: string, model_count: number, fix: string}} Test
 * @typedef {{text: string}} TextEvent
 * @typedef {{text: string}} ThinkingEvent
 * @typedef {{id: string, workspace_id: string, name: string, role: string, created_at: string, last_used_at: string | null, expires_at: string}} Token
 * @typedef {{name: string, title: string, description: string, writes: boolean, input_schema: Record<string, any>}} Tool
 * @typedef {{id: string, name: string, mode: 'hosted' | 'client' | 'off', status: 'running' | 'done' | 'failed' | 'waiting' | 'declined', arguments: string, query: string, url: string, title: string, service: string, results: SearchResult[], error: string, started_at: string, seconds: number | null}} ToolRun
 * @typedef {{run: ToolRun}} ToolUpdateEvent
 * @typedef {{session_id: string, question_id: string, message_id: string, provider: string, model: string, mode: 'hosted' | 'client' | 'off', search_service: string, reason: string, is_restricted: boolean}} TurnStartedEvent
 * @typedef {{code: [number, number, string][][], math: (any | null)[]}} Typeset
 * @typedef {{code?: CodeText[], math?: FormulaText[]}} TypesetBody
 * @typedef {{input_tokens: number | null, output_tokens: number | null, cached_input_tokens: number | null, cache_write_tokens: number | null, thinking_tokens: number | null, searches: number | null, fetches: number | null, cost_usd: number | null}} Usage
 * @typedef {{date: string, provider: string, model: string, turns: number, input_tokens: number, output_tokens: number, searches: number, pages_read: number, cost_usd: number | null, cost_is_partial: boolean}} UsageDay
 * @typedef {{usage: Usage, cost_usd: number | null, cost_is_partial: boolean, cost_text: string}} UsageEvent
 * @typedef {{days: UsageDay[], by_day: UsageSum[], by_provider: UsageSum[], by_model: UsageSum[], total: UsageTotal}} UsageReport
 * @typedef {{turns: number, input_tokens: number, output_tokens: number, searches: number, pages_read: number, cost_usd: number | null, cost_is_partial: boolean, cost_text: string, date: string, provider: string, model: string}} UsageSum
 * @typedef {{turns: number, input_tokens: number, output_tokens: number, searches: number, pages_read: number, cost_usd: number | null, cost_is_partial: boolean, cost_text: string}} UsageTotal
 * @typedef {{id: string, name: string, is_owner: boolean}} User
 * @typedef {{message: string, code: string}} WarningEvent
 * @typedef {{search_provider: string[], read_provider: string[], next_on_nothing: boolean, together: boolean, source_icons: boolean, checks: CheckSettings, available: Service[]}} Web
 * @typedef {{search_provider?: string[] | null, read_provider?: string[] | null, next_on_nothing?: boolean | null, source_icons?: boolean | null, checks?: ChecksChange | null}} WebChange
 * @typedef {{query: string | null, mode: 'hosted' | 'client' | 'off', service: string}} WebSearchStartedEvent
 * @typedef {{id: string, name: string, web_search_enabled: boolean, web_fetch_enabled: boolean, web_allowed_domains: string[], web_instructions: string, citation_checks: string, citation_judge: string, quotas: Quota, created_at: string, updated_at: string}} Workspace
 * @typedef {{name?: string | null, web_search_enabled?: boolean | null, web_fetch_enabled?: boolean | null, web_allowed_domains?: string[] | null, web_instructions?: string | null, citation_checks?: '' | 'off' | 'opened' | 'all' | null, citation_judge?: string | null, quotas?: QuotaBody | null}} WorkspaceChange
 * @typedef {{type: 'turn_started', id: number, data: TurnStartedEvent}
 *   | {type: 'text', id: number, data: TextEvent}
 *   | {type: 'thinking', id: number, data: ThinkingEvent}
 *   | {type: 'source', id: number, data: SourceEvent}
 *   | {type: 'marker', id: number, data: MarkerEvent}
 *   | {type: 'citation_checked', id: number, data: CitationCheckedEvent}
 *   | {type: 'folded', id: number, data: FoldedEvent}
 *   | {type: 'web_search_started', id: number, data: WebSearchStartedEvent}
 *   | {type: 'tool_update', id: number, data: ToolUpdateEvent}
 *   | {type: 'policy', id: number, data: PolicyEvent}
 *   | {type: 'usage', id: number, data: UsageEvent}
 *   | {type: 'warning', id: number, data: WarningEvent}
 *   | {type: 'search_suggestions', id: number, data: SearchSuggestionsEvent}
 *   | {type: 'budget', id: number, data: BudgetEvent}
 *   | {type: 'approval_requested', id: number, data: ApprovalRequestedEvent}
 *   | {type: 'error', id: number, data: ErrorEvent}
 *   | {type: 'done', id: number, data: DoneEvent}} TurnEvent
 */

export {};
