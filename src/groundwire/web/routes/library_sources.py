"""A workspace's library: what is in it, where it comes from, and what is found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from groundwire.conversation import Role
from groundwire.library import CONTENT_TYPES
from groundwire.search.query_embedding import embedding_service
from groundwire.service.actor import check_owner
from groundwire.service.workspace_library import WorkspaceLibrary
from groundwire.web.access import Caller, CallerNeeded, SiteNeeded
from groundwire.web.bodies import Id, LibrarySourceChange, NewLibrarySource
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES, WebError
from groundwire.web.library_shapes import (
    LibraryCollectionShape,
    LibraryDocumentShape,
    LibraryFoundShape,
    LibraryShape,
    LibrarySourceShape,
    document_shape,
    hit_shape,
    source_shape,
)
from groundwire.web.sent_body import too_large

if TYPE_CHECKING:
    from groundwire.store.source_records import LibrarySource

router = APIRouter(
    prefix="/api/workspaces/{workspace_id}/library",
    tags=["library"],
    route_class=BodyRoute,
    responses=RESPONSES,
)

FileName = Annotated[str, Path(min_length=1, max_length=200)]
DocumentId = Annotated[int, Path(ge=1, le=2**53)]
Words = Annotated[str, Query(max_length=1_000)]


async def _library(caller: Caller, workspace_id: str, need: Role = Role.ADMIN) -> WorkspaceLibrary:
    """Return the library of a workspace: members search it, admins change it."""
    workspace = await caller.workspace(workspace_id, need)
    return WorkspaceLibrary(caller.site.store, caller.site.program.settings, workspace)


@router.get("", response_model=LibraryShape)
async def get_library(workspace_id: Id, caller: CallerNeeded, site: SiteNeeded) -> LibraryShape:
    """Return what is in a workspace's library; ask again while a source waits or is read."""
    state = await (await _library(caller, workspace_id, Role.MEMBER)).state()
    settings = site.program.settings.library
    return LibraryShape(
        documents=sum(each.documents for each in state.collections),
        passages=sum(each.passages for each in state.collections),
        size=state.size,
        sources=[source_shape(each) for each in state.sources],
        others=[
            LibraryCollectionShape(name=each.name, documents=each.documents)
            for each in state.others
        ],
        embedded=state.embedded if embedding_service(site.program.search_context) else None,
        formats=sorted(CONTENT_TYPES),
        max_file_bytes=settings.max_file_bytes,
        # Where things are on the server is the owner's to know.
        folders=settings.folders if caller.is_owner else [],
    )


@router.post("/sources", response_model=LibrarySourceShape, status_code=201)
async def add_source(
    workspace_id: Id, body: NewLibrarySource, caller: CallerNeeded, site: SiteNeeded
) -> LibrarySourceShape:
    """Add a page of the web, or, as the owner, a folder of the server; it is read soon."""
    library = await _library(caller, workspace_id)
    if body.kind == "folder":
        check_owner(caller.actor)
        source = await library.add_folder(body.location, body.refresh_hours)
    else:
        source = await library.add_url(body.location, body.refresh_hours)
    await caller.note("added", f"{_named(source)} to the library", workspace_id)
    site.library_worker.wake()
    return source_shape(source)


@router.patch("/sources/{source_id}", response_model=LibrarySourceShape)
async def change_source(
    *,
    workspace_id: Id,
    source_id: Id,
    body: LibrarySourceChange,
    caller: CallerNeeded,
    site: SiteNeeded,
) -> LibrarySourceShape:
    """Say how often a source is read again."""
    library = await _library(caller, workspace_id)
    source = await library.source(source_id)
    await site.store.library_sources.schedule(source.id, body.refresh_hours)
    before, after = (
        {"refresh_hours": hours} for hours in (source.refresh_hours, body.refresh_hours)
    )
    await caller.note("changed", _named(source), workspace_id, before=before, after=after)
    return source_shape(await library.source(source_id))


@router.post("/sources/{source_id}/refresh", response_model=LibrarySourceShape, status_code=202)
async def refresh_source(
    workspace_id: Id, source_id: Id, caller: CallerNeeded, site: SiteNeeded
) -> LibrarySourceShape:
    """Read a source again; what is unchanged is not read twice."""
    library = await _library(caller, workspace_id)
    await site.store.library_sources.want((await library.source(source_id)).id)
    site.library_worker.wake()
    return source_shape(await library.source(source_id))


@router.delete("/sources/{source_id}", status_code=204, response_class=Response)
async def remove_source(workspace_id: Id, source_id: Id, caller: CallerNeeded) -> Response:
    """Forget a source and its documents."""
    library = await _library(caller, workspace_id)
    source = await library.source(source_id)
    await library.remove_source(source)
    await caller.note("removed", f"{_named(source)} from the library", workspace_id)
    return Response(status_code=204)


@router.put("/files/{name}", response_model=LibrarySourceShape, status_code=202)
async def put_file(
    *, workspace_id: Id, name: FileName, request: Request, caller: CallerNeeded, site: SiteNeeded
) -> LibrarySourceShape:
    """Upload a file, its bytes as the body; one of the same name is replaced."""
    library = await _library(caller, workspace_id)
    limit = site.program.settings.library.max_file_bytes
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limit:
        raise too_large(limit)
    try:
        source = await library.put_file(name, request.stream())
    except OSError as error:
        raise WebError(507, f"the server could not store the file: {error.strerror}") from None
    await caller.note("uploaded", f"{name} to the library", workspace_id)
    site.library_worker.wake()
    return source_shape(source)


@router.delete("/files/{name}", status_code=204, response_class=Response)
async def remove_file(
    workspace_id: Id, name: FileName, caller: CallerNeeded, site: SiteNeeded
) -> Response:
    """Forget an uploaded file and its document."""
    await (await _library(caller, workspace_id)).remove_file(name)
    await caller.note("removed", f"{name} from the library", workspace_id)
    site.library_worker.wake()
    return Response(status_code=204)


@router.get("/documents", response_model=list[LibraryDocumentShape])
async def list_documents(
    *,
    workspace_id: Id,
    caller: CallerNeeded,
    query: Words = "",
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> list[LibraryDocumentShape]:
    """List documents by id, those whose title or path has a text in it."""
    library = await _library(caller, workspace_id, Role.MEMBER)
    found = await library.documents(query=query, after=after, limit=limit)
    return [document_shape(each) for each in found]


@router.delete("/documents/{document_id}", status_code=204, response_class=Response)
async def remove_document(
    workspace_id: Id, document_id: DocumentId, caller: CallerNeeded, site: SiteNeeded
) -> Response:
    """Forget one document that was uploaded, or added by its URL or from the command line."""
    await (await _library(caller, workspace_id)).remove_document(document_id)
    await caller.note("removed", f"document {document_id} from the library", workspace_id)
    site.library_worker.wake()
    return Response(status_code=204)


@router.delete("/collections/{name}", status_code=204, response_class=Response)
async def remove_collection(workspace_id: Id, name: FileName, caller: CallerNeeded) -> Response:
    """Forget the documents of a collection that was added elsewhere."""
    await (await _library(caller, workspace_id)).remove_collection(name)
    await caller.note("removed", f"collection {name} from the library", workspace_id)
    return Response(status_code=204)


@router.get("/search", response_model=LibraryFoundShape)
async def search_library(
    *,
    workspace_id: Id,
    caller: CallerNeeded,
    site: SiteNeeded,
    query: Words,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> LibraryFoundShape:
    """Search the library, as agents of the workspace do."""
    library = await _library(caller, workspace_id, Role.MEMBER)
    found = await library.search(query, limit=limit, search_context=site.program.search_context)
    return LibraryFoundShape(hits=[hit_shape(each) for each in found.hits], note=found.note)


def _named(source: LibrarySource) -> str:
    return f"{source.kind.value} {source.location}".strip()
